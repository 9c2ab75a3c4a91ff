// SPDX-License-Identifier: Apache-2.0

// The suites by their names.

/// A group of rows, as a command names it.
package enum SuiteName: String, CaseIterable, Sendable {
  case machine, operations, queries, encryption, checksums, writers, observers, processes, tools,
    programs, debug

  /// Makes the suite, with its files.
  package func make(_ context: SuiteContext, _ programs: ProgramPaths) throws -> any Suite {
    switch self {
    case .machine: MachineSuite(context)
    case .operations: try OperationsSuite(context)
    case .queries: try QueriesSuite(context)
    case .encryption: EncryptionSuite(context)
    case .checksums: ChecksumsSuite(context)
    case .writers: try WritersSuite(context)
    case .observers: try ObserversSuite(context)
    case .processes: try ProcessesSuite(context)
    case .tools: try ToolsSuite(context, realm: programs.realm)
    case .programs: ProgramsSuite(context, programs)
    case .debug: DebugSuite(context, programs)
    }
  }
}

/// Where programs of the root package are, built for release.
package struct ProgramPaths: Sendable {
  /// The program of the command line.
  package var realm: String
  /// The program that measures device sync.
  package var sync: String
  /// The program `realm-instructions`.
  package var operations: String
  /// The same, built for debug.
  package var debugOperations: String
  /// The root of the repository, of which an app is built; nil to leave that out.
  package var repository: String?

  package init(
    realm: String, sync: String, operations: String, debugOperations: String, repository: String?
  ) {
    self.realm = realm
    self.sync = sync
    self.operations = operations
    self.debugOperations = debugOperations
    self.repository = repository
  }
}
