import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { importDirection } from './scripts/lint/import-direction.mjs';

const tests = ['**/*.test.ts', 'test/**'];

/** Client libraries live behind one folder each. */
const onlyIn = (folders, name) => ({
  files: ['**/*.ts'],
  ignores: [...tests, 'policy/**', ...folders],
  rules: {
    'no-restricted-imports': [
      'error',
      { paths: [{ name, message: `only ${folders.join(', ')} may import ${name}` }] },
    ],
  },
});

const unused = { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true };

export default defineConfig(
  globalIgnores(['dist', 'build', 'coverage', 'out', '.roundhouse', 'node_modules']),
  tseslint.configs.recommended,
  {
    plugins: { roundhouse: { rules: { 'import-direction': importDirection } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-constant-binary-expression': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-unreachable-loop': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'max-lines-per-function': ['error', { max: 50 }],
      '@typescript-eslint/no-unused-vars': ['error', unused],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    },
  },
  {
    files: ['**/*.ts'],
    ignores: tests,
    rules: { 'roundhouse/import-direction': 'error' },
  },
  {
    files: [
      'schemas/**/*.ts',
      'policy/**/*.ts',
      'lib/**/*.ts',
      'services/**/*.ts',
      'client/**/*.ts',
      'native/**/*.ts',
    ],
    ignores: [...tests, '**/*-main.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    // An environment comes in as an argument; only entries and runService read that of the process.
    files: ['{lib,policy,services,launcher,client,native}/**/*.ts'],
    ignores: [...tests, '**/main.ts', '**/*-main.ts', 'lib/service.ts', 'launcher/dead-letters.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'only main.ts reads process.env: pass what is needed',
        },
      ],
    },
  },
  {
    // Policy is pure: data and time come in as arguments.
    files: ['policy/**/*.ts'],
    ignores: tests,
    rules: {
      'no-restricted-globals': ['error', 'process', 'performance', 'setTimeout', 'setInterval', 'fetch'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'policy has no clock: pass the time' },
        { object: 'Math', property: 'random', message: 'policy is deterministic: pass a seeded source' },
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(?!node:crypto$)(node:|[a-z@])',
              message: 'policy does no I/O and imports no package',
            },
          ],
        },
      ],
    },
  },
  onlyIn(['lib/bus/**'], 'kafkajs'),
  {
    // The one rule that needs types: a promise that nobody waits for hides its failure.
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.check.json', './services/ops/web/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: { '@typescript-eslint/no-floating-promises': 'error' },
  },
  {
    // Tests pass hostile values on purpose; a table of them, and a group of tests, may be long.
    files: tests,
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      'max-lines-per-function': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.property.name='toMatchObject'] Property > Literal[regex]",
          message: 'any text matches a regular expression there: write expect.stringMatching(…)',
        },
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
);
