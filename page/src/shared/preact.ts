// Preact in the graph code: that of the page, which has registered it.
import type * as Preact from "preact";
import type * as Hooks from "preact/hooks";

declare global {
  var tribalShared: {preact: typeof Preact; hooks: typeof Hooks};
}

export const {h, Fragment} = globalThis.tribalShared.preact;
