export interface Publishing {
  repository: string;
  publisher: string;
  branch: string;
}
export function manifestFor(manifest: Record<string, unknown>, publishing: Publishing): Record<string, unknown>;
export function readmeFor(readme: string, publishing: Publishing, read: (path: string) => Buffer): string;
