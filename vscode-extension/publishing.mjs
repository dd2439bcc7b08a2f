// The differences between the sources and the published page: manifest fields and addresses of pictures. Pure.

/** Returns the manifest with the addresses of its page. */
export function manifestFor(manifest, { repository, publisher }) {
  const { private: _private, devDependencies: _devDependencies, scripts: _scripts, ...published } = manifest;
  if (publisher !== '') published.publisher = publisher;
  if (repository === '') return published;
  return { ...published, repository: { type: 'git', url: `${repository}.git`, directory: 'vscode-extension' }, homepage: `${repository}#readme`, bugs: { url: `${repository}/issues` } };
}

/** Returns a text of the install step with a link to the source. Without a repository there is nothing to link to. */
export function installStepFor(step, { repository }) {
  return repository === '' ? step : step.replace('from its source', `from [its source](${repository})`);
}

/** The title of the link to the source by the file of texts. It exists only in a published package. */
export const SOURCE_TITLES = { 'package.nls.json': 'Get the Source', 'package.nls.de.json': 'Quelltext holen' };

/** Returns the texts of a file with a link to the source in the view that is shown while the binary is missing. */
export function textsFor(file, texts, { repository }) {
  const key = 'welcome.missingBinary';
  return repository === '' ? texts : { ...texts, [key]: `${texts[key]}\n[${SOURCE_TITLES[file]}](${repository})` };
}

/** Returns the README with absolute addresses of its pictures. Without a repository the pictures are embedded. */
export function readmeFor(readme, { repository, branch }, read) {
  return readme.replace(/(!\[[^\]]*\])\((images\/[^)]+\.png)\)/g, (_whole, alt, path) => {
    const address = repository === '' ? `data:image/png;base64,${read(path).toString('base64')}` : `${repository}/raw/${branch}/vscode-extension/${path}`;
    return `${alt}(${address})`;
  });
}
