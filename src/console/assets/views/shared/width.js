/** The size of elements. */

import { useEffect, useState } from "../../lib/preact.js";

/** The width of an element in pixels; 0 before it is known. */
export function useWidth(ref) {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
