// SPDX-License-Identifier: Apache-2.0

// What the uploads of a group are merged with.

import RealmSyncProtocol

/// The realm before a group of uploads, as far as merging asks for it. Confined to its realm.
struct MergeBase {
  /// Has all versions after the lowest base of the group.
  let history: HistoryWindow
  /// The version up to which entries are gone.
  let trimmed: UInt64
  /// The files of the uploads that can be read.
  var files: [FileIdentifier: ClientHistory] = [:]
  /// Finds objects that clients make without having been sent them; nil in realms without views.
  var unseen: UnseenObjects?
}
