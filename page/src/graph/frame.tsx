// The frame of a drawing: a toolbar, and the drawing that can be moved and zoomed.
import {type ComponentChildren, h, type RefObject} from "preact";
import {useEffect, useLayoutEffect, useRef, useState} from "preact/hooks";
import {type Size, Zoom} from "./zoom";

export interface FrameProps extends Size {
  label: string;
  /** The point to start at when the whole does not fit. */
  middle?: {x: number; y: number};
  /** Another value shows the drawing from the start. */
  content: string;
  /** Largest height in pixels. */
  tallest: number;
  zoom: RefObject<Zoom | null>;
  svg: RefObject<SVGSVGElement | null>;
  tools?: ComponentChildren;
  /** A picture that is neither moved nor zoomed. */
  plain?: boolean;
  /** Told about the width of the frame in pixels. */
  onWidth?: (width: number) => void;
  children: ComponentChildren;
}

/** Width of an element in pixels, while it changes. */
function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!of.current) return;
    const element = of.current;
    setWidth(element.clientWidth);
    const observer = new ResizeObserver(() => element.clientWidth && setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width;
}

export function Frame(props: FrameProps) {
  const {label, middle, content, zoom, svg} = props;
  const frame = useRef<HTMLDivElement>(null);
  const shown = useRef("");
  const width = useWidth(frame);
  useEffect(() => {
    if (!svg.current) return;
    const started = new Zoom(svg.current, props.tallest);
    zoom.current = started;
    return props.plain ? undefined : started.listen();
  }, []);
  useEffect(() => {
    if (!width) return;
    props.onWidth?.(width);
    const now = `${content}\n${width}`;
    zoom.current?.show({width: props.width, height: props.height}, width, middle, now !== shown.current);
    shown.current = now;
  }, [content, width, props.width, props.height]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !zoom.current?.key(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="g-frame">
      {!props.plain && (
        <div class="g-tools">
          {props.tools}
          <ZoomButtons label={label} zoom={zoom} />
        </div>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a group of links is no fieldset. */}
      <div
        class="g-drawing"
        ref={frame}
        role="group"
        aria-label={props.plain ? label : `${label}: arrow keys move, + and - zoom, 0 starts again`}
        tabIndex={props.plain ? undefined : 0}
        onKeyDown={props.plain ? undefined : onKeyDown}
      >
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the group around it has the name; a title would cover the others. */}
        <svg ref={svg} width="100%" height="200">
          {props.children}
        </svg>
      </div>
    </div>
  );
}

function ZoomButtons({label, zoom}: {label: string; zoom: RefObject<Zoom | null>}) {
  const buttons: [string, string, () => void][] = [
    ["+", "Zoom in", () => zoom.current?.nearer()],
    ["\u2212", "Zoom out", () => zoom.current?.farther()],
    ["Fit", "Fit the whole drawing", () => zoom.current?.showAll()],
  ];
  return (
    <fieldset class="g-zoom" aria-label={`Zoom: ${label}`}>
      {buttons.map(([text, meaning, act]) => (
        <button key={text} type="button" aria-label={meaning} title={meaning} onClick={act}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}
