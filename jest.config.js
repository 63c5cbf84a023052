/** One project per kind of test; integration, crash and e2e boot real processes and so run one file at a time. */
const common = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' }, keepClassNames: true },
        module: { type: 'commonjs' },
      },
    ],
  },
  moduleNameMapper: {
    '^#schemas/(.*)$': '<rootDir>/schemas/src/$1',
    '^#(lib|policy|services|native|launcher)/(.*)$': '<rootDir>/$1/$2',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/build', '<rootDir>/.roundhouse'],
};

module.exports = {
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{schemas,lib,policy,services,launcher,client,native,bench}/**/*.test.ts',
        '<rootDir>/test/unit/**/*.test.ts',
      ],
    },
    {
      ...common,
      displayName: 'integration',
      setupFilesAfterEnv: ['<rootDir>/test/support/longer-tests.js'],
      globalSetup: '<rootDir>/test/support/global-setup.js',
      globalTeardown: '<rootDir>/test/support/global-teardown.js',
      testMatch: ['<rootDir>/test/{integration,e2e}/**/*.test.ts'],
    },
    {
      ...common,
      displayName: 'crash',
      setupFilesAfterEnv: ['<rootDir>/test/support/longer-tests.js'],
      globalSetup: '<rootDir>/test/support/build-setup.js',
      testMatch: ['<rootDir>/test/crash/**/*.test.ts'],
    },
  ],
};
