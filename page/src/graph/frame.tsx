// The frame of a drawing: a toolbar, and the drawing that can be moved and zoomed.
import {type ComponentChildren, h} from "preact";
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from "preact/hooks";
import {type Point, type Size, Zoom} from "./zoom";

interface FrameProps {
  label: string;
  size: Size;
  /** The point to start at when the whole does not fit. */
  start: Point;
  /** Another value shows the drawing from the start. */
  content: unknown;
  /** Largest height in pixels. */
  tallest: number;
  /** Controls before the zoom buttons; a drawing without a toolbar is neither moved nor zoomed. */
  tools?: ComponentChildren;
  /** Called with the width of the frame in pixels. */
  onWidth?: (width: number) => void;
  children: ComponentChildren;
}

export function Frame({label, size, start, content, tallest, tools, onWidth, children}: FrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const zoom = useMemo(() => new Zoom(), []);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = frame.current;
    const observer = new ResizeObserver(() => element?.clientWidth && setWidth(element.clientWidth));
    if (element) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!width) return;
    onWidth?.(width);
    zoom.resize(size, width, tallest);
  }, [width, size.width, size.height]);
  useEffect(() => zoom.reset(start), [content, width]);
  const attributes = tools
    ? {"aria-label": `${label}: arrow keys move, + and - zoom, 0 starts again`, tabIndex: 0, onKeyDown: zoom.onKeyDown}
    : {"aria-label": label};
  const buttons: [string, string, () => void][] = [
    ["+", "Zoom in", zoom.nearer],
    ["\u2212", "Zoom out", zoom.farther],
    ["Fit", "Fit the whole drawing", zoom.showAll],
  ];
  return (
    <div class="g-frame">
      {tools && (
        <div class="g-tools">
          {tools}
          <fieldset class="g-zoom" aria-label={`Zoom: ${label}`}>
            {buttons.map(([text, meaning, act]) => (
              <button key={text} type="button" aria-label={meaning} title={meaning} onClick={act}>
                {text}
              </button>
            ))}
          </fieldset>
        </div>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a group of links is no fieldset. */}
      <div class="g-drawing" ref={frame} role="group" {...attributes}>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the group around it has the name; a title would cover the others. */}
        <svg ref={zoom.svg} width="100%" height="200" {...(tools ? zoom.handlers : {})}>
          {children}
        </svg>
      </div>
    </div>
  );
}
