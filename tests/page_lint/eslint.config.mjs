// Rules for the page's script, whole as Python assembles it, and for its style. They find mistakes and reformat nothing.
import css from "@eslint/css";
import js from "@eslint/js";
import globals from "globals";

export default [
  {
    files: ["**/*.js"],
    ...js.configs.recommended,
    languageOptions: { sourceType: "script", globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      ...js.configs.recommended.rules,
      // The page looks for control characters in order to show them.
      "no-control-regex": "off",
      "no-console": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      // The page opens no windows and searches no text: `open` and `find` may be names of its own.
      "no-redeclare": ["error", { builtinGlobals: false }],
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      strict: ["error", "global"],
    },
  },
  {
    files: ["**/*.css"],
    plugins: { css },
    language: "css/css",
    rules: {
      ...css.configs.recommended.rules,
      // A browser that does not know them takes the next font, or breaks pages of paper where it likes.
      "css/use-baseline": [
        "error",
        { allowPropertyValues: { "font-family": ["ui-monospace"], "break-after": ["avoid"] } },
      ],
    },
  },
];
