// Strict rules with type information. Only client.ts and baseVersion.ts may start programs, and rules/ must not depend on VS Code.
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '*.mjs', '*.mts', 'e2e/'] },
  tseslint.configs.strictTypeChecked,
  {
    files: ['src/**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'no-restricted-imports': ['error', { paths: [{ name: 'node:child_process', message: 'only client.ts and baseVersion.ts run programs' }] }],
    },
  },
  { files: ['src/binary/client.ts', 'src/binary/baseVersion.ts', 'src/test/**'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['src/rules/**/*.ts', 'src/binary/types.ts', 'src/binary/reviewTypes.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: ['vscode', 'node:child_process'] }] },
  },
  // The promises that node's test runner returns need no await.
  { files: ['src/test/**'], rules: { '@typescript-eslint/no-floating-promises': 'off' } },
);
