// The payload: JSON whose large arrays are little-endian numbers in base64.

function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}

/** An array of the payload as typed numbers. */
export function numbers(packed) {
  if (packed.f64 !== undefined) return new Float64Array(bytes(packed.f64));
  if (packed.i32 !== undefined) return new Int32Array(bytes(packed.i32));
  return new Float32Array(bytes(packed.f32));
}

/** The numbers themselves, where the payload holds differences from an offset. */
export function whole(packed) {
  const values = numbers(packed);
  if (!packed.offset) return values;
  return Float64Array.from(values, (x) => x + packed.offset);
}

export function readPayload() {
  return JSON.parse(document.getElementById("payload").textContent);
}

/** Index of the last entry that is not above x; −1 if all are. */
export function floorIndex(sorted, x) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function nearestIndex(sorted, x) {
  const i = floorIndex(sorted, x);
  if (i < 0) return 0;
  if (i + 1 < sorted.length && sorted[i + 1] - x < x - sorted[i]) return i + 1;
  return i;
}
