// Play, step and scrub through frames; the keyboard goes to the player that was used last.

const ICONS = {
  first: "M2 2h2v12H2zM14 2v12L5 8z",
  back: "M11 2v12L3 8z",
  play: "M3 1.5v13L14 8z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  forward: "M5 2v12l8-6z",
  last: "M12 2h2v12h-2zM2 2v12l9-6z",
};

let activePlayer = null;

function icon(name) {
  return svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

// `frames` are numbered from 0; `label` names one, `show` draws it.
function makePlayer(host, { frames, start, label, show, what }) {
  const player = { frame: start, timer: null, host };
  const range = html("input", { type: "range", min: 0, max: frames - 1, step: 1, "aria-label": what });
  const output = html("output", { "aria-live": "polite" });
  const speed = html("select", { "aria-label": "Speed" },
    ...[1, 2, 5, 10, 20].map((rate) => html("option", { value: rate }, `${rate} per s`)));
  const button = (name, text, act) => {
    const element = html("button", { type: "button", "aria-label": text, title: text, class: name }, icon(name));
    element.addEventListener("click", () => act());
    return element;
  };
  player.go = (frame) => {
    player.frame = clamp(frame, 0, frames - 1);
    range.value = player.frame;
    output.textContent = label(player.frame);
    range.setAttribute("aria-valuetext", output.textContent);
    activePlayer = player;
    show(player.frame);
  };
  player.step = (by) => { player.stop(); player.go(player.frame + by); };
  player.edge = (last) => { player.stop(); player.go(last ? frames - 1 : 0); };
  const play = button("play", "Play", () => player.toggle());
  player.stop = () => setPlaying(player, play, null);
  player.toggle = () => (player.timer ? player.stop() : startPlaying(player, play, frames, () => 1000 / speed.value));
  speed.value = 2;
  speed.addEventListener("change", () => { if (player.timer) { player.stop(); player.toggle(); } });
  range.addEventListener("input", () => { player.stop(); player.go(Number(range.value)); });
  host.classList.add("player-host");
  host.append(html("div", { class: "player", role: "group", "aria-label": "Player" },
    button("first", "First (Home)", () => player.edge(false)), button("back", "Back (left arrow)", () => player.step(-1)),
    play, button("forward", "Forward (right arrow)", () => player.step(1)), button("last", "Last (End)", () => player.edge(true)),
    range, output, html("label", {}, "speed", speed)));
  return player;
}

function setPlaying(player, button, timer) {
  clearInterval(player.timer);
  player.timer = timer;
  document.body.classList.toggle("playing", timer !== null);
  button.setAttribute("aria-label", timer ? "Pause" : "Play");
  button.title = timer ? "Pause (space)" : "Play (space)";
  button.replaceChildren(icon(timer ? "pause" : "play"));
}

// From the end it plays from the beginning again.
function startPlaying(player, button, frames, interval) {
  if (player.frame >= frames - 1) player.go(0);
  setPlaying(player, button, setInterval(() => {
    player.go(player.frame + 1);
    if (player.frame >= frames - 1) player.stop();
  }, interval()));
}

// Keys that a control handles itself are left to it.
function onKey(event) {
  const tag = event.target.tagName;
  const keys = { ArrowLeft: () => activePlayer.step(-1), ArrowRight: () => activePlayer.step(1), Home: () => activePlayer.edge(false), End: () => activePlayer.edge(true), " ": () => activePlayer.toggle() };
  const own = { BUTTON: [" "], SUMMARY: [" "], SELECT: Object.keys(keys), INPUT: ["ArrowLeft", "ArrowRight", "Home", "End"] };
  if (!activePlayer || !keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  if ((own[tag] ?? []).includes(event.key)) return;
  event.preventDefault();
  keys[event.key]();
}

document.addEventListener("keydown", onKey);
