// SPDX-License-Identifier: Apache-2.0

// Where an import writes.

#if Server
package import RealmServerEngine

/// The app of an import.
package struct ImportTarget: Sendable {
  package let store: any ServerStore
  package let accounts: AccountStore
  let salts: SaltSource
  let clock: ServerClock
  let mark: @Sendable ([UInt8]) throws(ImportError) -> Void
  let reject: @Sendable (_ bytes: [UInt8], _ offset: Int) throws(ImportError) -> Void

  /// - Parameters:
  ///   - mark: Replaces the mark of the import; it is on the disk on return.
  ///   - reject: Cuts the file with rejected documents at an offset, and appends bytes.
  package init(
    store: any ServerStore, accounts: AccountStore, salts: SaltSource = SaltSource(),
    clock: ServerClock, mark: @escaping @Sendable ([UInt8]) throws(ImportError) -> Void,
    reject: @escaping @Sendable (_ bytes: [UInt8], _ offset: Int) throws(ImportError) -> Void
  ) {
    self.store = store
    self.accounts = accounts
    self.salts = salts
    self.clock = clock
    self.mark = mark
    self.reject = reject
  }
}
#endif
