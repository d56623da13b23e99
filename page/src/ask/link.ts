// Addresses of questions and of passages.
export function askLink(question: string, collection?: string): string {
  return `#/ask/${encodeURIComponent(question)}${collection ? `?${new URLSearchParams({in: collection})}` : ""}`;
}

export const passageLink = (collection: string, file: string, page: number, path?: string) =>
  `#/passage/${encodeURIComponent(collection)}/${encodeURIComponent(file)}?${new URLSearchParams({
    page: String(page),
    ...(path ? {path} : {}),
  })}`;
