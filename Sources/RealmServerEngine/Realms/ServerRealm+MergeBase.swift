// SPDX-License-Identifier: Apache-2.0

// What is read of a realm before a group of uploads is merged.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables

extension ServerRealm {
  /// What a group is merged with. Refuses the uploads of files that cannot be read, and notes what
  /// was hidden from the authors of the others.
  func mergeBase(for group: inout UploadGroup) async throws(StoreError) -> MergeBase {
    let window = try await preparedWindow(for: group)
    var base = MergeBase(history: window, trimmed: head.base)
    try await readFiles(of: &group, into: &base)
    base.unseen = try await unseenObjects(for: group, base)
    try await noteHiddenFields(in: &group, base)
    return base
  }

  /// The window with all versions that the uploads have to be merged with.
  private func preparedWindow(
    for group: UploadGroup
  ) async throws(StoreError) -> HistoryWindow {
    guard isOwner else { throw .fenced }
    try await settleHead()
    let window = self.window ?? HistoryWindow(base: head.version)
    self.window = window
    window.isUsed = true
    var base = head.version
    for attempt in group.attempts where attempt.isOpen {
      for entry in attempt.upload.entries { base = min(base, entry.serverVersion) }
    }
    base = max(base, head.base)
    guard base < window.base else { return window }
    var older: [Changeset] = []
    for entry in try await store.entries(in: base + 1..<window.base + 1) {
      older.append(try parse(entry.changeset, origin: entry.origin))
    }
    window.prepend(older)
    return window
  }

  private func parse(_ bytes: [UInt8], origin: ChangesetOrigin) throws(StoreError) -> Changeset {
    do throws(ChangesetError) {
      return try ChangesetParser.parse(bytes, origin: origin)
    } catch {
      throw .unreadableEntry(version: origin.version, "\(error)")
    }
  }

  /// The files of uploads. Those of which something cannot be read are left out.
  private func readFiles(
    of group: inout UploadGroup, into base: inout MergeBase
  ) async throws(StoreError) {
    for number in group.openNumbers {
      let ident = group[number].upload.file
      guard base.files[ident] == nil, group[number].isOpen,
        let file = try await store.file(ident)
      else { continue }
      do throws(StoreError) {
        base.files[ident] = try await clientHistory(of: file)
      } catch {
        guard case .unreadableFile(let file, let reason) = error else { throw error }
        report(.client(file, reason: reason))
        group.refuse(number, SessionRefusal(error))
      }
    }
  }

  private func clientHistory(of file: ClientFile) async throws(StoreError) -> ClientHistory {
    var reciprocals: [UInt64: Changeset] = [:]
    var privates: [UInt64: Changeset] = [:]
    var objects: [UInt64: [ObjectIdentity]] = [:]
    func parse(_ bytes: [UInt8], _ origin: ChangesetOrigin) throws(StoreError) -> Changeset {
      do throws(ChangesetError) {
        return try ChangesetParser.parse(bytes, origin: origin)
      } catch {
        throw .unreadableFile(file.ident, "what belongs to version \(origin.version): \(error)")
      }
    }
    let base = file.reciprocalBase
    for (version, bytes) in try await store.reciprocals(of: file.ident, after: base) {
      // The origin is that of the entry, which `ClientHistory` knows.
      reciprocals[version] = try parse(bytes, ChangesetOrigin(version: version))
    }
    for change in try await store.privates(of: file.ident, after: base) {
      let origin = ChangesetOrigin(
        version: change.version, file: .server, timestamp: change.timestamp)
      privates[change.version] = try parse(change.changeset, origin)
      objects[change.version] = change.objects
    }
    return ClientHistory(
      file: file, reciprocals: reciprocals, privates: privates, privateObjects: objects)
  }

  /// Notes the properties hidden from the authors of uploads.
  private func noteHiddenFields(
    in group: inout UploadGroup, _ base: MergeBase
  ) async throws(StoreError) {
    var paths: PropertyPaths?
    for number in group.openNumbers {
      let upload = group[number].upload
      guard let file = base.files[upload.file]?.file, !file.filters.isEmpty || upload.rules != nil
      else { continue }
      let (current, earlier) = (upload.rules?.permissions.filters, try file.viewFilters())
      if paths == nil, current?.haveParts ?? false || earlier.haveParts {
        let snapshot = try await store.snapshot(atLeast: head.version)
        paths = try StoreError.storing(PropertyPaths(snapshot.objects))
      }
      group[number].hidden = UnreadFields(current, earlier, paths)
    }
  }

  /// What is needed to find objects that uploads make without having been sent them; nil if there
  /// is no new upload, and in realms without views.
  private func unseenObjects(
    for group: UploadGroup, _ base: MergeBase
  ) async throws(StoreError) -> UnseenObjects? {
    guard let scratch else { return nil }
    var oldest: UInt64?
    for upload in group.attempts.lazy.filter(\.isOpen).map(\.upload) {
      guard let file = base.files[upload.file]?.file else { continue }
      for entry in upload.entries where entry.clientVersion > file.clientVersion {
        oldest = min(oldest ?? .max, max(entry.serverVersion, head.base))
      }
    }
    guard let oldest else { return nil }
    let snapshot = try await store.snapshot(atLeast: head.version)
    var entries: [StoredEntry] = []
    if head.version > head.base {
      let first = min(oldest + 1, head.version)
      entries = try await store.entries(in: first..<head.version + 1)
    }
    return UnseenObjects(
      snapshot, oldest < head.version ? entries : [],
      timestamp: entries.last?.committed ?? clock.now(), scratch: scratch)
  }
}
