// SPDX-License-Identifier: Apache-2.0

// The answer to a client that could not integrate what it was sent (P1 C.2).

extension SessionRefusal {
  /// The answer to an error of a client.
  ///
  /// Where its own classes contradict those of the app, a reset does not help: the fresh copy has
  /// the same classes again. Its program gets the error that the UPLOAD of its classes gets.
  init(_ error: ClientMessage.ClientError) {
    if error.isSchemaMismatch {
      self.init(.invalidSchemaChange, "Another definition of a class exists: \(error.message)")
    } else {
      // The client knows its own error. Of the codes for a reset, this one means no fault.
      self.init(
        .badClientFile, "The client could not integrate a changeset: \(error.message)",
        action: .clientReset)
    }
  }
}

extension ClientMessage.ClientError {
  /// How the texts of all deployed clients name a contradiction between their classes and those
  /// that they were sent: found in a merge, of a property that is there, and of a class that is.
  private static let mismatches = ["Schema mismatch", "AddTable: The existing table"]

  /// Whether the classes of the client's program contradict those that it was sent.
  var isSchemaMismatch: Bool {
    code == ErrorCode(SessionErrorCode.badChangeset)
      && Self.mismatches.contains { message.contains($0) }
  }
}
