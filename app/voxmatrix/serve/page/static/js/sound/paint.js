// Draws a waveform.

import { clock } from "../words.js";

const RULER = 18; // pixels for the times below a tall waveform
const HALO = 0.32;

/**
 * Draw `span` seconds as bars: the peaks (0…1) as a halo around the loudness. What is before `played` seconds has the
 * accent colour; the mouse is at `hover` pixels.
 */
export function paint(canvas, { width, height, pitch, peaks, cores, span, played, hover }) {
  const context = scaled(canvas, width, height);
  const style = getComputedStyle(canvas);
  const colour = (name) => style.getPropertyValue(name);
  const tall = height > 80;
  const room = tall ? height - RULER : height;
  const line = played == null ? 0 : (played / span) * width;

  const draw = (ink, rest) => {
    dots(context, peaks, pitch, room, rest);
    context.globalAlpha = HALO;
    bars(context, peaks, pitch, room, ink);
    context.globalAlpha = 1;
    bars(context, cores, pitch, room, ink);
  };
  part(context, line, width, height, () => draw(colour("--wave"), colour("--dots")));
  part(context, 0, line, height, () => draw(colour("--accent"), colour("--accent")));
  if (tall) ruler(context, width, height, span, colour("--muted"), style.fontFamily);
  if (hover != null) upright(context, hover, room, colour("--muted"), 1);
  if (played != null) upright(context, line, room, colour("--accent"), 2);
  if (hover != null && tall) bubble(context, hover, width, clock((hover / width) * span), colour, style.fontFamily);
}

function scaled(canvas, width, height) {
  const ratio = devicePixelRatio;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** Draw only between two places. */
function part(context, from, to, height, draw) {
  if (to <= from) return;
  context.save();
  context.beginPath();
  context.rect(from, 0, to - from, height);
  context.clip();
  draw();
  context.restore();
}

function bars(context, heights, pitch, room, colour) {
  const thick = pitch - 2;
  context.fillStyle = colour;
  context.beginPath();
  heights.forEach((value, at) => {
    const high = value * (room - 4);
    if (high > thick) context.roundRect(at * pitch + 1, (room - high) / 2, thick, high, thick / 2);
  });
  context.fill();
}

/** Where there is silence, or nothing yet. */
function dots(context, heights, pitch, room, colour) {
  const radius = (pitch - 2) * 0.36;
  context.fillStyle = colour;
  context.beginPath();
  heights.forEach((value, at) => {
    if (value * (room - 4) > pitch - 2) return;
    const x = at * pitch + pitch / 2;
    context.moveTo(x + radius, room / 2);
    context.arc(x, room / 2, radius, 0, 2 * Math.PI);
  });
  context.fill();
}

function upright(context, x, room, colour, thick) {
  context.fillStyle = colour;
  context.fillRect(Math.round(x) - thick / 2, 0, thick, room);
}

function ruler(context, width, height, span, colour, family) {
  const step = [0.5, 1, 2, 5, 10, 15, 30, 60, 120].find((each) => (each / span) * width >= 88) ?? 300;
  context.font = `11px ${family}`;
  context.fillStyle = colour;
  context.textAlign = "left";
  for (let time = 0; (time / span) * width < width - 28; time += step) {
    const x = (time / span) * width;
    context.fillText(clock(time, step < 1 ? 1 : 0), x + 1, height - 3);
  }
}

function bubble(context, x, width, text, colour, family) {
  context.font = `600 11px ${family}`;
  const wide = context.measureText(text).width + 12;
  const left = Math.min(Math.max(0, x + 6), width - wide);
  context.fillStyle = colour("--ink");
  context.beginPath();
  context.roundRect(left, 2, wide, 18, 4);
  context.fill();
  context.fillStyle = colour("--paper");
  context.textAlign = "left";
  context.fillText(text, left + 6, 15);
}
