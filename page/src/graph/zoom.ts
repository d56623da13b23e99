// Pan and zoom of a drawing: by buttons, keys, wheel (with Ctrl, so that the page still scrolls), mouse and fingers.
export interface Size {
  width: number;
  height: number;
}
export interface Rect extends Size {
  x: number;
  y: number;
}
interface Point {
  x: number;
  y: number;
}

const CLOSEST = 4,
  STEP = 1.3,
  PAN = 60,
  DRAGGED = 4,
  MARGIN = 12,
  /** Text of 12 px is then drawn with 11 px. */
  READABLE = 0.92;

export class Zoom {
  private whole: Size = {width: 1, height: 1};
  private frame: Size = {width: 1, height: 1};
  private middle: Point | undefined;
  private scale = 1;
  private x = 0;
  private y = 0;
  private touched = false;

  constructor(
    private readonly svg: SVGSVGElement,
    private readonly tallest: number,
  ) {}

  /** Show a drawing of this size; one that does not fit starts at its middle, at a scale that can be read. */
  show(whole: Size, frameWidth: number, middle: Point | undefined, again: boolean): void {
    this.whole = whole;
    this.middle = middle;
    const scale = this.startScale(frameWidth);
    const height = Math.min(this.tallest, whole.height * scale + 2 * MARGIN);
    this.frame = {width: frameWidth, height};
    this.svg.setAttribute("height", String(Math.ceil(height)));
    if (again || !this.touched) this.reset();
    else this.draw();
  }

  private startScale(width: number): number {
    const across = (width - 2 * MARGIN) / this.whole.width,
      down = (this.tallest - 2 * MARGIN) / this.whole.height;
    return Math.min(1, Math.max(READABLE, Math.min(across, down)));
  }

  private wholeScale(): number {
    const {width, height} = this.frame;
    return Math.min(1, (width - 2 * MARGIN) / this.whole.width, (height - 2 * MARGIN) / this.whole.height);
  }

  reset(): void {
    this.touched = false;
    this.scale = this.startScale(this.frame.width);
    const {x, y} = this.middle ?? {x: this.whole.width / 2, y: this.whole.height / 2};
    this.x = this.start(x, this.whole.width, this.frame.width / this.scale);
    this.y = this.start(y, this.whole.height, this.frame.height / this.scale);
    this.draw();
  }

  /** Where to start, so that `middle` is in the middle, or as far as the drawing goes. */
  private start(middle: number, whole: number, shown: number): number {
    const margin = MARGIN / this.scale;
    if (whole + 2 * margin <= shown + 1) return (whole - shown) / 2;
    return Math.min(Math.max(middle - shown / 2, -margin), whole + margin - shown);
  }

  showAll(): void {
    this.touched = true;
    this.scale = this.wholeScale();
    this.x = (this.whole.width - this.frame.width / this.scale) / 2;
    this.y = (this.whole.height - this.frame.height / this.scale) / 2;
    this.draw();
  }

  zoom(factor: number, at?: Point): void {
    const {x, y} = at ?? {x: this.frame.width / 2, y: this.frame.height / 2};
    const scale = Math.min(CLOSEST, Math.max(Math.min(0.5, this.wholeScale()), this.scale * factor));
    this.x += x / this.scale - x / scale;
    this.y += y / this.scale - y / scale;
    this.scale = scale;
    this.touched = true;
    this.draw();
  }

  nearer = () => this.zoom(STEP);
  farther = () => this.zoom(1 / STEP);

  /** Move the drawing by pixels. */
  pan(across: number, down: number): void {
    this.x -= across / this.scale;
    this.y -= down / this.scale;
    this.touched = true;
    this.draw();
  }

  /** Move as little as needed for a part of the drawing to be in the frame. */
  reveal(part: Rect): void {
    const [width, height] = [this.frame.width / this.scale, this.frame.height / this.scale];
    const needed = (at: number, length: number, from: number, shown: number) =>
      at < from || length > shown ? at - MARGIN : at + length > from + shown ? at + length - shown + MARGIN : from;
    this.x = needed(part.x, part.width, this.x, width);
    this.y = needed(part.y, part.height, this.y, height);
    this.draw();
  }

  private draw(): void {
    const [width, height] = [this.frame.width / this.scale, this.frame.height / this.scale];
    this.x = Math.min(Math.max(this.x, -width / 2), this.whole.width - width / 2);
    this.y = Math.min(Math.max(this.y, -height / 2), this.whole.height - height / 2);
    this.svg.setAttribute("viewBox", [this.x, this.y, width, height].map(value => value.toFixed(2)).join(" "));
    this.svg.classList.toggle("g-larger", this.whole.height > height + 1 || this.touched);
  }

  /** @returns whether the key means something here. */
  key(name: string): boolean {
    const acts: Record<string, () => void> = {
      "+": this.nearer,
      "=": this.nearer,
      "-": this.farther,
      "0": () => this.reset(),
      ArrowLeft: () => this.pan(PAN, 0),
      ArrowRight: () => this.pan(-PAN, 0),
      ArrowUp: () => this.pan(0, PAN),
      ArrowDown: () => this.pan(0, -PAN),
    };
    const act = acts[name];
    act?.();
    return act !== undefined;
  }

  /** Follow wheel, mouse and fingers. @returns what ends it. */
  listen(): () => void {
    const ended = new AbortController();
    const on = <Name extends keyof SVGElementEventMap>(name: Name, act: (event: SVGElementEventMap[Name]) => void) =>
      this.svg.addEventListener(name, act, {signal: ended.signal, passive: false, capture: name === "click"});
    on("wheel", event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-Math.max(-50, Math.min(50, event.deltaY)) / 300), this.pointAt(event));
    });
    on("dragstart", event => event.preventDefault());
    this.drag(on);
    return () => ended.abort();
  }

  private pointAt(event: {clientX: number; clientY: number}): Point {
    const area = this.svg.getBoundingClientRect();
    return {x: event.clientX - area.left, y: event.clientY - area.top};
  }

  /** One finger or the mouse pans, two fingers zoom; what was dragged is not clicked. */
  private drag(
    on: <Name extends keyof SVGElementEventMap>(name: Name, act: (event: SVGElementEventMap[Name]) => void) => void,
  ): void {
    const down = new Map<number, Point>();
    let moved = 0;
    on("pointerdown", event => {
      if (event.button) return;
      if (!down.size) moved = 0;
      down.set(event.pointerId, this.pointAt(event));
    });
    for (const name of ["pointerup", "pointercancel"] as const) on(name, event => down.delete(event.pointerId));
    on("pointermove", event => {
      const before = down.get(event.pointerId);
      if (!before) return;
      if (event.pointerType === "mouse" && !event.buttons) return down.delete(event.pointerId);
      const now = this.pointAt(event);
      // Where the whole is in the frame, one finger scrolls the page.
      if (down.size === 1 && event.pointerType === "touch" && !this.svg.classList.contains("g-larger")) return;
      moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (moved < DRAGGED) return;
      this.svg.setPointerCapture(event.pointerId);
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      down.set(event.pointerId, now);
      if (other) {
        const [was, is] = [
          Math.hypot(before.x - other.x, before.y - other.y),
          Math.hypot(now.x - other.x, now.y - other.y),
        ];
        if (was) this.zoom(is / was, {x: (now.x + other.x) / 2, y: (now.y + other.y) / 2});
      } else this.pan(now.x - before.x, now.y - before.y);
    });
    on("click", event => {
      if (moved < DRAGGED) return;
      event.preventDefault();
      event.stopPropagation();
      moved = 0;
    });
  }
}
