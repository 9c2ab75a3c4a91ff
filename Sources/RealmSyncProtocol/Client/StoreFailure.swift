// SPDX-License-Identifier: Apache-2.0

// Why something cannot be stored.

/// The failure of a request to a file.
package struct StoreFailure: Error, Hashable, Sendable {
  /// The code that is reported to the server; nil if it is not the server's fault.
  package var code: ErrorCode?
  package var message: String

  package init(code: ErrorCode?, message: String) {
    self.code = code
    self.message = message
  }

  /// The failure of cursors that cannot be right.
  package static func badProgress(_ message: String) -> StoreFailure {
    StoreFailure(code: ErrorCode(SessionErrorCode.badProgress), message: message)
  }
}
