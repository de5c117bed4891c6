/** Reads all pages of a usage report. */

/** Groups per page: the maximum that the gateway returns. */
const PAGE_SIZE = 5000;
/** The maximum number of pages of one report. */
const MAX_PAGES = 20;

/**
 * Reads a report page by page.
 *
 * @template Part
 * @param {(page: Record<string, string>) => Promise<{ part: Part, next: string | null }>} readPage
 * called with the query parameters of a page
 * @returns {Promise<{ parts: Part[], hasMore: boolean }>} and whether there are further pages
 */
export async function readPages(readPage) {
  const parts = [];
  let next = null;
  do {
    const page = { limit: String(PAGE_SIZE), ...(next !== null && { after: next }) };
    const read = await readPage(page);
    parts.push(read.part);
    next = read.next ?? null;
  } while (next !== null && parts.length < MAX_PAGES);
  return { parts, hasMore: next !== null };
}
