// Diagrams, the map and lineage: a script of its own, loaded when one of them is shown.
import {Diagram} from "./graph/diagram";
import {LineageDrawing} from "./graph/lineage";
import {DatabaseMap} from "./graph/map";

const GRAPH = {Diagram, DatabaseMap, LineageDrawing};

declare global {
  var tribalGraph: (components: typeof GRAPH) => void;
}

globalThis.tribalGraph(GRAPH);
