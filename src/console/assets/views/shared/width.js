/** The size of elements. */

import { useLayoutEffect, useState } from "../../lib/preact.js";

/** The width of an element in pixels; 0 in the first render, which is not visible. */
export function useWidth(ref) {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    setWidth(Math.floor(ref.current.clientWidth));
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
