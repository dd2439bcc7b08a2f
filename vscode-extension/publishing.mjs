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

/** The entries of the project's changelog that concern the extension. */
export function changelogOf(changelog) {
  const lines = ['# Changelog'];
  let release = '';
  let section = '';
  for (const line of changelog.split('\n')) {
    if (line.startsWith('## ')) [release, section] = [line, ''];
    else if (line.startsWith('### ')) section = line;
    else if (line.startsWith('- VS Code: ')) {
      for (const heading of [release, section]) if (heading !== '' && !lines.slice(lines.lastIndexOf(release)).includes(heading)) lines.push('', heading, '');
      const text = line.slice('- VS Code: '.length);
      lines.push(`- ${text.charAt(0).toUpperCase()}${text.slice(1)}`);
    }
  }
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`;
}
