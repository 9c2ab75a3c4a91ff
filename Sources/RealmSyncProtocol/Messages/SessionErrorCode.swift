// SPDX-License-Identifier: Apache-2.0

// The errors of one session.

/// A code of an error of a session. The codes 202, 203, 205, 207, 214, 215, 218 to 221 and 224 have
/// no case: deployed clients abort.
package enum SessionErrorCode: Int, CaseIterable, Hashable, Sendable {
  case sessionClosed = 200
  case other = 201
  case illegalRealmPath = 204
  case permissionDenied = 206
  case badClientFileIdent = 208
  case badServerVersion = 209
  case badClientVersion = 210
  case divergingHistories = 211
  case badChangeset = 212
  case badOriginFileIdent = 216
  case badClientFile = 217
  case clientFileExpired = 222
  case userMismatch = 223
  case invalidSchemaChange = 225
  case badQuery = 226
  case objectAlreadyExists = 227
  case permissionsChanged = 228
  case initialSyncNotCompleted = 229
  case writeNotAllowed = 230
  case compensatingWrite = 231
  case migrateToFlexible = 232
  case badProgress = 233
  case revertToPartition = 234
  case badSchemaVersion = 235
  case schemaVersionChanged = 236

  /// The server's request with the code, if nothing else is known.
  package var usualAction: ErrorAction {
    switch self {
    case .sessionClosed, .initialSyncNotCompleted: .transient
    case .badClientFileIdent, .badServerVersion, .badClientVersion, .divergingHistories,
      .badChangeset, .badOriginFileIdent, .badClientFile, .clientFileExpired, .permissionsChanged,
      .writeNotAllowed, .badProgress:
      .clientReset
    case .compensatingWrite: .warning
    case .migrateToFlexible: .migrateToFlexible
    case .revertToPartition: .revertToPartition
    case .schemaVersionChanged: .migrateSchema
    case .other, .illegalRealmPath, .permissionDenied, .userMismatch, .invalidSchemaChange,
      .badQuery, .objectAlreadyExists, .badSchemaVersion:
      .applicationBug
    }
  }
}
