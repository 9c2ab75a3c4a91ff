// SPDX-License-Identifier: Apache-2.0

// Why a server ends a session.

/// An error that ends a session, as the client gets it.
package struct SessionRefusal: Error, Hashable, Sendable {
  package var code: SessionErrorCode
  package var document: ErrorDocument

  /// A refusal with the code's usual action, or another.
  package init(_ code: SessionErrorCode, _ message: String, action: ErrorAction? = nil) {
    self.code = code
    document = ErrorDocument(message: message, action: action ?? code.usualAction)
  }

  package init(_ code: SessionErrorCode, document: ErrorDocument) {
    self.code = code
    self.document = document
  }
}
