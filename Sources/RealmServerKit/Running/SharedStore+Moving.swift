// SPDX-License-Identifier: Apache-2.0

// The mark of a database into which a folder is being moved, and the servers that such a move would
// disturb.
//
// Invariants:
// 1. A move sets the mark before it asks for servers, and a server registers itself before it asks
//    for the mark: of both at once one is refused, at least.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmStorage

extension SharedStore {
  /// The path of the mark, which is none of a folder's files.
  private static let mark = "move"

  /// Sets the mark, and fails where a server uses the database. Blocks the thread.
  ///
  /// - Parameter folder: The folder that is moved.
  /// - Returns: Whether there was no mark.
  func beginMove(of folder: String) throws(ServerFailure) -> Bool {
    let wasThere = try mark() != nil
    try setMark(Array(folder.utf8))
    let servers = try Self.asking { () throws(StoreError) -> [String] in try present() }
    guard let first = servers.first else { return !wasThere }
    if !wasThere { try setMark(nil) }
    throw ServerFailure(
      "A server uses the database: \(first). Stop all of its servers, wait half a minute, and give "
        + "the same command again; or name a database that no server uses.")
  }

  /// Removes the mark: the database has everything, or the operator wants it as it is. Blocks the
  /// thread.
  func endMove() throws(ServerFailure) { try setMark(nil) }

  /// Fails while the database has the mark. Blocks the thread.
  ///
  /// - Parameter ignoresMark: Whether the operator wants the database as it is.
  func requireNoMove(ignoresMark: Bool = false) throws(ServerFailure) {
    guard let bytes = try mark()?.bytes, !ignoresMark else { return }
    throw ServerFailure(
      "The move of the folder \(String(decoding: bytes, as: UTF8.self)) to the database of --store "
        + "has not ended: realms and users are missing. Give the same realm-server move command "
        + "again, which goes on with it. To serve the database as it is, start once with "
        + "--replace-missing.")
  }

  /// The mark; nil if there is none.
  private func mark() throws(ServerFailure) -> SharedServerFile? {
    try Self.asking { () throws(StoreError) -> SharedServerFile? in
      try files.all().first { $0.path == Self.mark && $0.bytes != nil }
    }
  }

  private func setMark(_ bytes: [UInt8]?) throws(ServerFailure) {
    try Self.asking { () throws(StoreError) -> Void in
      while true {
        let known = try files.all().first { $0.path == Self.mark }
        guard known?.bytes != bytes else { return }
        if try files.put(bytes, at: Self.mark, after: known?.version ?? 0) { return }
      }
    }
  }

  private static func asking<R>(
    _ call: () throws(StoreError) -> R
  ) throws(ServerFailure) -> R {
    do throws(StoreError) { return try call() } catch {
      throw ServerFailure(
        "The database of --store cannot be used: \(ServerFailure.text(error))")
    }
  }
}
#endif
