"""Recipes for SQL migrations: Flyway, numbered and timestamped files."""

from tribal.capabilities.contribution.recipes.migrations.recipe import MigrationsRecipe as MigrationsRecipe
