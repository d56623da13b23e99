// Diagrams and maps: a script of its own, loaded when one of them is shown.
import {Diagram} from "./graph/diagram";
import {DatabaseMap} from "./graph/map";

declare global {
  var tribalGraph: (components: {Diagram: typeof Diagram; DatabaseMap: typeof DatabaseMap}) => void;
}

globalThis.tribalGraph({Diagram, DatabaseMap});
