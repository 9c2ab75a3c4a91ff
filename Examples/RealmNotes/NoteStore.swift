// SPDX-License-Identifier: Apache-2.0

// The service's one realm, on an actor of its own: requests come from any thread, and only values
// leave.

#if Tools
import Foundation
import RealmSwift

/// The notes.
actor NoteStore {
  // Implicitly unwrapped, so that `self` can be passed to the realm in the initializer.
  private var realm: Realm!
  private var token: NotificationToken?
  private var listeners: [UUID: AsyncStream<String>.Continuation] = [:]
  /// The version that all listeners have been sent.
  private var published: HistoryToken!

  /// The number of commits that a listener may miss and go on from.
  static let historyLimit = 10_000

  init(_ fileURL: URL) async throws {
    var configuration = Realm.Configuration(fileURL: fileURL, objectTypes: [Note.self])
    configuration.historyLimit = Self.historyLimit
    realm = try await Realm(configuration: configuration, actor: self)
    published = realm.historyToken
    token = await realm.objects(Note.self).observe(on: self) { store, _ in store.publish() }
  }

  // MARK: Reading

  /// The notes by age; those that are done, or are not, if that is asked for.
  func notes(isDone: Bool?) -> [NoteBody] {
    let notes = realm.objects(Note.self).sorted(by: \.createdAt)
    guard let isDone else { return notes.map(NoteBody.init) }
    return notes.where { $0.isDone == isDone }.map(NoteBody.init)
  }

  func note(_ id: ObjectId) -> NoteBody? {
    realm.object(ofType: Note.self, forPrimaryKey: id).map(NoteBody.init)
  }

  // MARK: Writing

  /// Adds a note. Others use the actor while the commit waits for the disk, and share that wait.
  func add(_ text: String) async throws -> NoteBody {
    let note = try await realm.asyncWrite {
      realm.create(Note.self, value: ["text": text, "createdAt": Date()])
    }
    return NoteBody(note)
  }

  /// Changes a note; nil if there is none.
  func change(_ id: ObjectId, _ input: NoteInput) async throws -> NoteBody? {
    try await realm.asyncWrite {
      guard let note = realm.object(ofType: Note.self, forPrimaryKey: id) else { return nil }
      if let text = input.text { note.text = text }
      if let isDone = input.isDone { note.isDone = isDone }
      return NoteBody(note)
    }
  }

  /// Deletes a note; false if there is none.
  func delete(_ id: ObjectId) async throws -> Bool {
    try await realm.asyncWrite {
      guard let note = realm.object(ofType: Note.self, forPrimaryKey: id) else { return false }
      realm.delete(note)
      return true
    }
  }

  // MARK: Live updates

  /// Sends a listener what changed since a token, and then what changes, as server-sent events.
  func listen(_ continuation: AsyncStream<String>.Continuation, since last: HistoryToken?) {
    let id = UUID()
    continuation.onTermination = { [weak self] _ in
      Task { [weak self] in await self?.remove(id) }
    }
    publish()
    if let text = try? catchUp(since: last).text(id: published) { continuation.yield(text) }
    listeners[id] = continuation
  }

  /// The number of clients that listen.
  var listenerCount: Int { listeners.count }

  private func remove(_ id: UUID) { listeners[id] = nil }

  /// All notes, or what changed since a token.
  private func catchUp(since last: HistoryToken?) -> NoteEvent {
    guard let last, let changes = try? realm.changes(since: last) else {
      return NoteEvent(changed: notes(isDone: nil), isReset: true)
    }
    return event(changes)
  }

  /// Sends what changed to all listeners.
  private func publish() {
    guard let changes = try? realm.changes(since: published) else {
      published = realm.historyToken
      return finishAll()
    }
    published = changes.token
    guard !changes.isEmpty, let text = try? event(changes).text(id: published) else { return }
    for continuation in listeners.values {
      if case .dropped = continuation.yield(text) { continuation.finish() }
    }
  }

  private func finishAll() {
    for continuation in listeners.values { continuation.finish() }
  }

  private func event(_ changes: RealmChanges) -> NoteEvent {
    let own = changes[Note.self]
    let ids = own.insertions + own.modifications.map(\.id)
    return NoteEvent(
      changed: ids.compactMap { realm[$0].map(NoteBody.init) },
      deleted: own.deletions.compactMap { ($0.primaryKey as? ObjectId)?.stringValue })
  }
}
#endif
