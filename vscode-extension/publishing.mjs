// The differences between the sources and the published page: manifest fields and addresses of pictures. Pure.

/** Returns the manifest with the addresses of its page. */
export function manifestFor(manifest, { repository, publisher }) {
  const { private: _private, devDependencies: _devDependencies, scripts: _scripts, ...published } = manifest;
  if (publisher !== '') published.publisher = publisher;
  if (repository === '') return published;
  return { ...published, repository: { type: 'git', url: `${repository}.git`, directory: 'vscode-extension' }, homepage: `${repository}#readme`, bugs: { url: `${repository}/issues` } };
}

/** Returns the README with absolute addresses of its pictures. Without a repository the pictures are embedded. */
export function readmeFor(readme, { repository, branch }, read) {
  return readme.replace(/(!\[[^\]]*\])\((images\/[^)]+\.png)\)/g, (_whole, alt, path) => {
    const address = repository === '' ? `data:image/png;base64,${read(path).toString('base64')}` : `${repository}/raw/${branch}/vscode-extension/${path}`;
    return `${alt}(${address})`;
  });
}
