"""Recipe for Alembic."""

from tribal.capabilities.contribution.recipes.alembic.recipe import AlembicRecipe as AlembicRecipe
