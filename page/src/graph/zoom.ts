// Pan and zoom of a drawing: by buttons, keys, wheel (with Ctrl, so that the page still scrolls), mouse and fingers.
export interface Point {
  x: number;
  y: number;
}
export interface Size {
  width: number;
  height: number;
}
export interface Rect extends Point, Size {}

export const MARGIN = 12;
const CLOSEST = 4,
  STEP = 1.3,
  PAN = 60,
  DRAGGED = 4,
  /** Text of 12 px is then drawn with 11 px. */
  READABLE = 0.92;

const within = (low: number, value: number, high: number) => Math.min(Math.max(low, value), high);
export const centerOf = ({x = 0, y = 0, width, height}: Size & Partial<Rect>) => ({
  x: x + width / 2,
  y: y + height / 2,
});

export class Zoom {
  readonly svg: {current: SVGSVGElement | null} = {current: null};
  private whole: Size = {width: 1, height: 1};
  private frame: Size = {width: 1, height: 1};
  private start: Point = {x: 0, y: 0};
  private scale = 1;
  /** The point of the drawing in the middle of the frame. */
  private center: Point = {x: 0, y: 0};
  /** Where the mouse button and fingers are that are down, and how far they moved. */
  private readonly down = new Map<number, Point>();
  private moved = 0;

  /** Show a drawing of this size in a frame that is at most so high. */
  resize(whole: Size, width: number, tallest: number): void {
    const before = centerOf(this.frame);
    this.whole = whole;
    this.frame = {width, height: tallest};
    this.frame.height = Math.min(tallest, whole.height * this.startScale() + 2 * MARGIN);
    this.svg.current?.setAttribute("height", String(Math.ceil(this.frame.height)));
    // The upper left corner stays.
    const {x, y} = centerOf(this.frame);
    this.pan(before.x - x, before.y - y);
  }

  private wholeScale(): number {
    const {width, height} = this.frame;
    return Math.min(1, (width - 2 * MARGIN) / this.whole.width, (height - 2 * MARGIN) / this.whole.height);
  }

  private startScale = () => Math.max(READABLE, this.wholeScale());

  /** Show a point in the middle, or as near to it as the drawing reaches, at a scale that can be read. */
  reset = (start = this.start) => {
    this.start = start;
    const scale = this.startScale();
    const nearest = (side: keyof Size, point: number) => {
      const middle = this.whole[side] / 2,
        room = Math.max(0, middle - this.frame[side] / scale / 2 + MARGIN);
      return within(middle - room, point, middle + room);
    };
    this.draw({x: nearest("width", start.x), y: nearest("height", start.y)}, scale);
  };

  showAll = () => this.draw(centerOf(this.whole), this.wholeScale());

  private zoom(factor: number, at: Point = centerOf(this.frame)): void {
    const scale = within(Math.min(0.5, this.wholeScale()), this.scale * factor, CLOSEST);
    const [middle, moved] = [centerOf(this.frame), 1 / this.scale - 1 / scale];
    const {x, y} = this.center;
    this.draw({x: x + (at.x - middle.x) * moved, y: y + (at.y - middle.y) * moved}, scale);
  }

  nearer = () => this.zoom(STEP);
  farther = () => this.zoom(1 / STEP);

  /** Move the drawing by pixels. */
  private pan(across: number, down: number): void {
    this.draw({x: this.center.x - across / this.scale, y: this.center.y - down / this.scale});
  }

  private draw({x, y}: Point, scale = this.scale): void {
    const [width, height] = [this.frame.width / scale, this.frame.height / scale];
    this.scale = scale;
    this.center = {x: within(0, x, this.whole.width), y: within(0, y, this.whole.height)};
    const box = [this.center.x - width / 2, this.center.y - height / 2, width, height];
    this.svg.current?.setAttribute("viewBox", box.map(value => value.toFixed(2)).join(" "));
    this.svg.current?.classList.toggle("g-larger", this.whole.height > height + 1);
  }

  onKeyDown = (event: KeyboardEvent) => {
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
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };

  private pointAt({clientX, clientY}: MouseEvent): Point {
    const {left = 0, top = 0} = this.svg.current?.getBoundingClientRect() ?? {};
    return {x: clientX - left, y: clientY - top};
  }

  private onPointerUp = ({pointerId}: PointerEvent) => void this.down.delete(pointerId);

  private onPointerMove = (event: PointerEvent) => {
    const before = this.down.get(event.pointerId);
    if (!before) return;
    // The button came up outside the window.
    if (event.pointerType === "mouse" && !event.buttons) return this.onPointerUp(event);
    const other = [...this.down].find(([id]) => id !== event.pointerId)?.[1];
    // Where the whole is in the frame, one finger scrolls the page.
    if (event.pointerType === "touch" && !other && !this.svg.current?.classList.contains("g-larger")) return;
    const now = this.pointAt(event);
    this.moved += Math.hypot(now.x - before.x, now.y - before.y);
    if (this.moved < DRAGGED) return;
    this.svg.current?.setPointerCapture(event.pointerId);
    this.down.set(event.pointerId, now);
    if (!other) return this.pan(now.x - before.x, now.y - before.y);
    const distance = ({x, y}: Point) => Math.max(1, Math.hypot(x - other.x, y - other.y));
    this.zoom(distance(now) / distance(before), {x: (now.x + other.x) / 2, y: (now.y + other.y) / 2});
  };

  /** Move as little as needed for what has the focus to be in the frame. */
  private onFocus = ({target}: FocusEvent) => {
    // A click on the drawing itself gives it the focus.
    if (target === this.svg.current) return;
    const [part, frame] = [target, this.svg.current].map(each => (each as Element).getBoundingClientRect());
    if (!part || !frame) return;
    const needed = (start: number, end: number, low: number, high: number) =>
      start < low || end - start > high - low ? low + MARGIN - start : Math.min(0, high - MARGIN - end);
    const down = needed(part.top, part.bottom, frame.top, frame.bottom);
    this.pan(needed(part.left, part.right, frame.left, frame.right), down);
  };

  /** For the drawing: one finger or the mouse pans, two fingers zoom; what was dragged is not clicked. */
  readonly handlers = {
    onWheel: (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-within(-50, event.deltaY, 50) / 300), this.pointAt(event));
    },
    onPointerDown: (event: PointerEvent) => {
      if (event.button) return;
      if (!this.down.size) this.moved = 0;
      this.down.set(event.pointerId, this.pointAt(event));
    },
    onPointerMove: this.onPointerMove,
    onPointerUp: this.onPointerUp,
    onPointerCancel: this.onPointerUp,
    onFocusCapture: this.onFocus,
    onDragStart: (event: DragEvent) => event.preventDefault(),
    onClickCapture: (event: MouseEvent) => {
      if (this.moved < DRAGGED) return;
      event.preventDefault();
      event.stopPropagation();
      this.moved = 0;
    },
  };
}
