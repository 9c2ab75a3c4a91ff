// SPDX-License-Identifier: Apache-2.0

// Transactions: begin, edits, undo, commit or cancel.

#if Tools
import RealmStorage
import RealmFormats
import RealmTables

extension StudioDatabase {
  /// The time of a transaction's wait for writers of other programs.
  private static let patience = Duration.seconds(5)

  /// The state of the transaction, as the page shows it.
  var draftJSON: JSONValue {
    guard let draft else { return .null }
    return [
      "edits": .integer(Int64(draft.edits.count)), "undone": .integer(Int64(draft.undone.count)),
    ]
  }

  /// Begins a transaction. All other writers wait until it ends.
  func begin() async throws -> JSONValue {
    guard isWritable else { throw Self.readOnly }
    guard draft == nil, !isBeginning else {
      throw StudioFailure(409, "A transaction is open already.", remedy: "Commit or cancel it.")
    }
    isBeginning = true
    defer { isBeginning = false }
    let start = Task { try await startTransaction() }
    let timer = Task {
      try await Task.sleep(for: Self.patience)
      start.cancel()
    }
    defer { timer.cancel() }
    do {
      try await start.value
    } catch is CancellationError {
      throw StudioFailure(
        423, "Another program has been writing to the file for \(Self.patience).",
        remedy: "Wait for its transaction to end, then try again.")
    }
    reportDraft()
    return draftJSON
  }

  static let readOnly = StudioFailure(
    403, "The file is shown without writing.", remedy: "Start Studio with --write to edit.")

  private func startTransaction() async throws {
    let place = WriterPlace(identity: UInt(bitPattern: ObjectIdentifier(self)))
    let transaction = try await file.beginWrite(at: place, isolation: self)
    // Edits begin with the newest version, so it is shown first.
    advance()
    draft = try Draft(transaction)
    watchIdleness()
  }

  func edit(_ command: EditCommand) throws -> JSONValue {
    var result = JSONValue.null
    try changeDraft { result = try $0.apply(command) }
    return ["draft": draftJSON, "key": result]
  }

  func undo() throws -> JSONValue {
    try changeDraft { try $0.undo() }
    return draftJSON
  }

  func redo() throws -> JSONValue {
    try changeDraft { try $0.redo() }
    return draftJSON
  }

  private func changeDraft(_ body: (inout Draft) throws -> Void) throws {
    guard isWritable else { throw Self.readOnly }
    guard var changed = draft else {
      throw StudioFailure(409, "No transaction is open.", remedy: "Begin one first.")
    }
    defer {
      // A transaction without a return to its edits has ended.
      draft = changed.group.transaction.isEnded ? nil : changed
      forgetDraftListings()
      reportDraft()
    }
    changed.lastUse = .now
    try body(&changed)
  }

  /// Makes the edits durable.
  func commit() throws -> JSONValue {
    guard isWritable else { throw Self.readOnly }
    guard let ended = draft else { throw StudioFailure(409, "No transaction is open.") }
    draft = nil
    forgetDraftListings()
    defer { reportDraft() }
    if ended.edits.isEmpty {
      ended.group.rollback()
    } else {
      _ = try ended.group.commit()
    }
    advance()
    return .null
  }

  func cancel() throws -> JSONValue {
    guard isWritable else { throw Self.readOnly }
    guard draft != nil else { throw StudioFailure(409, "No transaction is open.") }
    drop()
    return .null
  }

  private func drop() {
    draft?.group.rollback()
    draft = nil
    forgetDraftListings()
    reportDraft()
  }

  private func reportDraft() {
    events.publish(
      ["kind": "draft", "file": .integer(Int64(number)), "draft": draftJSON])
  }

  // MARK: - Idle transactions

  private func watchIdleness() {
    Task { [weak self] in
      while await self?.endIdleDraft(at: .now) == true {
        try await Task.sleep(for: Self.absenceMax / 10)
      }
    }
  }

  /// Cancels the transaction if nothing was edited for `idleTimeMax`, or if the last page that
  /// showed it is gone for `absenceMax`. A program without a page has the longer time.
  ///
  /// - Returns: Whether a transaction is still open.
  func endIdleDraft(at time: ContinuousClock.Instant) -> Bool {
    if events.count > 0 { draft?.lastPage = time }
    guard let draft else { return false }
    let isAbandoned = draft.lastPage.map { $0.duration(to: time) >= Self.absenceMax } ?? false
    guard isAbandoned || draft.lastUse.duration(to: time) >= Self.idleTimeMax else { return true }
    drop()
    return false
  }
}
#endif
