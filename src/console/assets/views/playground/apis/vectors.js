/** Vectors of an answer of `/v1/embeddings`, and how alike they are. */

/** The most inputs that are compared with each other. */
export const MAX_COMPARED = 20;

/** The texts to embed: one per line. */
export function toInputs(text) {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/**
 * The vectors of an answer in the order of the inputs.
 *
 * @param {any} answer
 * @returns {number[][]}
 */
export function vectorsOf({ data }) {
  return data.toSorted((one, other) => one.index - other.index).map(({ embedding }) => embedding);
}

/** The cosine of the angle between two vectors; null if one is 0 or their lengths differ. */
export function cosine(a, b) {
  if (a.length !== b.length) return null;
  let [product, squareA, squareB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    product += a[index] * b[index];
    squareA += a[index] ** 2;
    squareB += b[index] ** 2;
  }
  const length = Math.sqrt(squareA) * Math.sqrt(squareB);
  return length === 0 ? null : product / length;
}

/**
 * The two vectors that are most alike.
 *
 * @param {number[][]} vectors
 * @returns {{ one: number, other: number, value: number } | undefined} their places from 0
 */
export function mostAlike(vectors) {
  let best;
  for (const [other, vector] of vectors.entries()) {
    for (let one = 0; one < other; one++) {
      const value = cosine(vectors[one], vector);
      if (value !== null && (best === undefined || value > best.value)) {
        best = { one, other, value };
      }
    }
  }
  return best;
}
