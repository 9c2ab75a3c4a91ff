// SPDX-License-Identifier: Apache-2.0

// What a client reset does with changes that are not uploaded, and why it is made.

package import RealmSyncProtocol

/// The treatment of changes that are not uploaded.
package enum ResetMode: Hashable, Sendable {
  /// They are dropped.
  case discard
  /// They are made again on the fresh copy, or the reset fails.
  case recover
  /// They are made again on the fresh copy, or dropped if that is impossible.
  case recoverOrDiscard

  /// The name that the texts of errors have.
  var name: String {
    switch self {
    case .discard: "DiscardLocal"
    case .recover: "Recover"
    case .recoverOrDiscard: "RecoverOrDiscard"
    }
  }
}

/// The server's reason for a reset.
package struct ResetCause: Hashable, Sendable {
  /// Whether changes that are not uploaded may be made again.
  package var mayRecover: Bool
  package var code: ErrorCode
  package var document: ErrorDocument

  package init(mayRecover: Bool, code: ErrorCode, document: ErrorDocument) {
    self.mayRecover = mayRecover
    self.code = code
    self.document = document
  }

  /// Whether the server says that its history is not the one that the file knows: it was restored
  /// from a backup.
  package var isOfAnotherHistory: Bool {
    switch code.session {
    case .badClientFileIdent?, .badServerVersion?, .divergingHistories?: true
    default: false
    }
  }

  /// The mode that the server leaves of a wanted one.
  package func mode(_ wanted: ResetMode) throws(ResetError) -> ResetMode {
    if mayRecover { return wanted }
    guard wanted != .recover else { throw .recoveryForbidden }
    return .discard
  }
}
