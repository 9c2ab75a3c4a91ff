// SPDX-License-Identifier: Apache-2.0

// Where the servers of a database are.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmStorage

/// Asks the database for the addresses of its servers, on a thread of its own.
actor SharedNodes: NodeDirectory {
  private let read: @Sendable (String) throws(StoreError) -> String?
  private nonisolated let thread = ThreadExecutor(named: "realm-nodes")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe thread.asUnownedSerialExecutor()
  }

  /// - Parameter read: Reads the address of a server, and blocks its thread.
  init(_ read: @escaping @Sendable (String) throws(StoreError) -> String?) { self.read = read }

  func address(of node: String) -> String? {
    // Without an answer it is not reached, and its sessions come back.
    do throws(StoreError) { return try read(node) } catch { return nil }
  }
}
#endif
