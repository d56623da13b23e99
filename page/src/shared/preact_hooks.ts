// The hooks of the page's Preact, for the graph code.
import "./preact";

export const {useEffect, useLayoutEffect, useMemo, useRef, useState} = globalThis.tribalShared.hooks;
