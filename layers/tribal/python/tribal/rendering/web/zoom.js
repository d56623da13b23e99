// A drawing that zooms and pans: by buttons, keys, wheel (with Ctrl, so that the page still scrolls), mouse and fingers.
const CLOSEST = 12,
  STEP = 1.4,
  DRAGGED = 4;

/** @param {SVGSVGElement} picture @param {string} label */
function zoomable(picture, label) {
  const whole = picture.viewBox.baseVal;
  const all = {x: whole.x, y: whole.y, width: whole.width, height: whole.height};
  let shown = {...all};
  const frame = element("div", {class: "drawing", tabindex: "0", role: "group", "aria-label": label}, picture);

  const draw = () => {
    shown.x = Math.min(Math.max(shown.x, all.x - shown.width / 2), all.x + all.width - shown.width / 2);
    shown.y = Math.min(Math.max(shown.y, all.y - shown.height / 2), all.y + all.height - shown.height / 2);
    picture.setAttribute("viewBox", [shown.x, shown.y, shown.width, shown.height].join(" "));
    frame.classList.toggle("zoomed", shown.width < all.width * 0.99);
  };
  /** @param {number} factor @param {{x: number, y: number}} [at] */
  const zoom = (factor, at = {x: shown.x + shown.width / 2, y: shown.y + shown.height / 2}) => {
    const width = Math.min(all.width, Math.max(all.width / CLOSEST, shown.width / factor));
    const scale = width / shown.width;
    shown = {
      x: at.x - (at.x - shown.x) * scale,
      y: at.y - (at.y - shown.y) * scale,
      width,
      height: shown.height * scale,
    };
    if (width === all.width) shown = {...all};
    draw();
  };
  /** @param {number} across @param {number} down in pixels */
  const pan = (across, down) => {
    const pixel = shown.width / (picture.getBoundingClientRect().width || 1);
    shown.x -= across * pixel;
    shown.y -= down * pixel;
    draw();
  };
  const reset = () => {
    shown = {...all};
    draw();
  };
  /** @param {{clientX: number, clientY: number}} event */
  const pointAt = event => {
    const area = picture.getBoundingClientRect();
    return {
      x: shown.x + ((event.clientX - area.left) / (area.width || 1)) * shown.width,
      y: shown.y + ((event.clientY - area.top) / (area.height || 1)) * shown.height,
    };
  };
  /** @type {Record<string, () => void>} */
  const keys = {
    "+": () => zoom(STEP),
    "=": () => zoom(STEP),
    "-": () => zoom(1 / STEP),
    "0": reset,
    ArrowLeft: () => pan(40, 0),
    ArrowRight: () => pan(-40, 0),
    ArrowUp: () => pan(0, 40),
    ArrowDown: () => pan(0, -40),
  };
  frame.addEventListener("keydown", event => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  frame.addEventListener(
    "wheel",
    event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, pointAt(event));
    },
    {passive: false},
  );
  drag(picture, pan, (factor, middle) => zoom(factor, pointAt(middle)));
  return element(
    "div",
    {class: "zoom"},
    controls(
      label,
      () => zoom(STEP),
      () => zoom(1 / STEP),
      reset,
    ),
    frame,
  );
}

/** @param {string} label @param {() => void} nearer @param {() => void} farther @param {() => void} reset */
function controls(label, nearer, farther, reset) {
  /** @type {[string, string, () => void][]} */
  const buttons = [
    ["+", "Zoom in", nearer],
    ["\u2212", "Zoom out", farther],
    ["All", "Show all", reset],
  ];
  return element(
    "div",
    {class: "controls", role: "toolbar", "aria-label": "Zoom: " + label},
    buttons.map(([text, meaning, act]) => {
      const button = element("button", {type: "button", "aria-label": meaning, title: meaning}, text);
      button.addEventListener("click", act);
      return button;
    }),
  );
}

/**
 * One finger or the mouse pans, two fingers zoom; what was dragged is not clicked.
 * @param {SVGSVGElement} picture
 * @param {(across: number, down: number) => void} pan
 * @param {(factor: number, middle: {clientX: number, clientY: number}) => void} pinch
 */
function drag(picture, pan, pinch) {
  /** @type {Map<number, {clientX: number, clientY: number}>} */
  const down = new Map();
  let moved = 0;
  picture.addEventListener("pointerdown", event => {
    if (!down.size) moved = 0;
    down.set(event.pointerId, event);
  });
  const end = (/** @type {PointerEvent} */ event) => down.delete(event.pointerId);
  for (const name of /** @type {const} */ (["pointerup", "pointercancel", "pointerleave"])) {
    picture.addEventListener(name, end);
  }
  picture.addEventListener("pointermove", event => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const across = event.clientX - before.clientX,
      below = event.clientY - before.clientY;
    const [other] = [...down].filter(([id]) => id !== event.pointerId).map(([, finger]) => finger);
    down.set(event.pointerId, event);
    moved += Math.abs(across) + Math.abs(below);
    if (moved < DRAGGED) return;
    if (other) {
      const middle = {clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2};
      const far = Math.hypot(before.clientX - other.clientX, before.clientY - other.clientY);
      if (far) pinch(Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY) / far, middle);
    } else pan(across, below);
  });
  picture.addEventListener("dragstart", event => event.preventDefault());
  picture.addEventListener(
    "click",
    event => {
      if (moved < DRAGGED) return;
      event.preventDefault();
      event.stopPropagation();
      moved = 0;
    },
    true,
  );
}
