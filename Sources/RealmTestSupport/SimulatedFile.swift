// SPDX-License-Identifier: Apache-2.0

// A simulated database file that records the calls on it, and fails when a test requests it.

package import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An operation of the database on a simulated file.
package enum FileEvent: Hashable, Sendable {
  case write(offset: Int, bytes: [UInt8])
  case sync
  /// A failed sync: the system takes all changes since the last sync for written, but the disk does
  /// not have these pages. A later write to one of them is recorded with the whole page.
  case failedSync(lost: Set<Int>)
  /// The file was cut or extended with zeros; `allocate` counts as this, too.
  case resize(byteCount: Int)
  /// A mark of the test: the version that was reported as durable by then.
  case acknowledge(UInt64)
}

/// A fault at a call of the database.
package enum FileFault: Hashable, Sendable {
  /// The call fails with this `errno` and does nothing.
  case error(Int32)
  /// This call and all after it fail.
  case errorForever(Int32)
  /// A write or read transfers half of the requested bytes.
  case short
}

/// The effect of a failed sync on its pages.
package enum PageLoss: Hashable, Sendable {
  /// The next sync writes them.
  case none
  /// None is written, and the system takes all for written.
  case all
  /// Some are written, and the system takes all for written.
  case some(seed: UInt64)
}

/// A file in memory with a trace and faults.
package final class SimulatedFile: LayeredFile {
  private struct State {
    var path: String
    var trace: [FileEvent] = []
    var callCount = 0
    var syncCount = 0
    var faultCall = 0
    var fault: FileFault?
    var ignoresSync: (@Sendable (Int) -> Bool)?
    var failingSync = 0
    var cache = PageCache()
    var capacity = Int.max
  }

  package var path: String { state.withLock { $0.path } }
  package let file: any StorageFile
  private let state: Locked<State>
  /// Is asked with each call of the database before it is made.
  private let gate: (@Sendable (_ operation: String) throws(StorageError) -> Void)?

  init(
    path: String, contents: [UInt8],
    gate: (@Sendable (_ operation: String) throws(StorageError) -> Void)? = nil
  ) throws(StorageError) {
    state = Locked(State(path: path))
    self.gate = gate
    file = try MemoryFiles.makeFile(named: path)
    try file.write(contents, at: 0)
  }

  // MARK: For tests

  /// The operations since the last `clearTrace()`.
  package var trace: [FileEvent] { state.withLock { $0.trace } }

  /// The number of calls that can fail since the last `clearTrace()`.
  package var callCount: Int { state.withLock { $0.callCount } }

  /// Clears the recorded operations.
  package func clearTrace() {
    state.withLock { state in
      state.trace = []
      state.callCount = 0
      state.syncCount = 0
    }
  }

  /// Gives the file another name.
  func rename(to path: String) { state.withLock { $0.path = path } }

  /// Records that `version` was reported to the user as durable.
  package func acknowledge(_ version: UInt64) {
    state.withLock { $0.trace.append(.acknowledge(version)) }
  }

  /// Makes call number `call` (from 1, as `callCount` counts) fail with a fault.
  package func fail(call: Int, _ fault: FileFault?) {
    state.withLock { state in
      state.faultCall = call
      state.fault = fault
    }
  }

  /// Makes the `count`-th sync from now on fail with EIO, once.
  ///
  /// - Parameter loss: The effect on its pages. For a loss, this is called directly after a sync.
  package func failSync(after count: Int, losing loss: PageLoss = .none) {
    state.withLock { state in
      state.failingSync = state.syncCount + count
      state.cache.loss = loss
    }
  }

  /// Whether the system keeps the lost pages in its memory, also when it is asked to forget them.
  package func keepCached(_ keeps: Bool) { state.withLock { $0.cache.isKept = keeps } }

  /// All who open the file have the same descriptor, and it is never replaced.
  package func isByteLocked(at offset: Int) -> Bool { true }

  package func forgetCached() {
    let lost = state.withLock { $0.cache.forget() }
    // The system need not forget a page: an error here changes nothing.
    for (page, bytes) in lost { try? file.write(bytes, at: page * PageCache.pageByteCount) }
  }

  /// Limits the space on the disk to so many bytes of the file.
  package func limitDisk(to byteCount: Int) { state.withLock { $0.capacity = byteCount } }

  /// Makes syncs with these numbers (from 1) do nothing and report success: a broken disk, or a
  /// database without that sync.
  package func ignoreSyncs(_ ignores: (@Sendable (Int) -> Bool)?) {
    state.withLock { $0.ignoresSync = ignores }
  }

  /// Cuts the file as another program would: not a call of the database, and not in the trace.
  package func cut(to byteCount: Int) throws(StorageError) { try file.resize(to: byteCount) }

  /// The bytes of the file as the database reads them.
  package func contents() throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: try file.byteCount())
    let result = bytes.withUnsafeMutableBytes { buffer -> StorageError? in
      do throws(StorageError) {
        _ = try file.read(into: buffer, at: 0)
        return nil
      } catch {
        return error
      }
    }
    if let result { throw result }
    return bytes
  }

  // MARK: Calls

  /// Counts a call and returns the fault that is due.
  private func begin(_ operation: String) throws(StorageError) -> Bool {
    try gate?(operation)
    let fault = state.withLock { state -> FileFault? in
      state.callCount += 1
      guard let fault = state.fault else { return nil }
      if case .errorForever = fault { return state.callCount >= state.faultCall ? fault : nil }
      return state.callCount == state.faultCall ? fault : nil
    }
    switch fault {
    case .error(let code), .errorForever(let code):
      throw .system(operation: operation, path: path, code: code)
    case .short: return true
    case nil: return false
    }
  }

  package func byteCount() throws(StorageError) -> Int {
    _ = try begin("Measuring")
    return try file.byteCount()
  }

  package func readSome(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    let isShort = try begin("Reading") && buffer.count > 1
    let count = isShort ? buffer.count / 2 : buffer.count
    return try file.readSome(
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: offset)
  }

  package func writeSome(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    let isShort = try begin("Writing") && bytes.count > 1
    let part = UnsafeRawBufferPointer(rebasing: bytes[..<(isShort ? bytes.count / 2 : bytes.count)])
    let range = offset..<offset + part.count
    guard state.withLock({ $0.cache.isModelled }) else {
      state.withLock { $0.trace.append(.write(offset: offset, bytes: Array(part))) }
      return try file.writeSome(part, at: offset)
    }
    let before = try contents()
    let count = try file.writeSome(part, at: offset)
    let after = try contents()
    state.withLock { state in
      let written = state.cache.note(range, before: before, end: after.count)
      state.trace.append(.write(offset: written.lowerBound, bytes: Array(after[written])))
    }
    return count
  }

  package func syncOnce() throws(StorageError) {
    _ = try begin("Syncing")
    let fails = state.withLock { state in
      state.syncCount += 1
      if state.failingSync == state.syncCount {
        if let lost = state.cache.loseWritten() { state.trace.append(.failedSync(lost: lost)) }
        return true
      }
      if state.ignoresSync?(state.syncCount) != true {
        state.trace.append(.sync)
        state.cache.noteSync()
      }
      return false
    }
    if fails { throw .system(operation: "Syncing", path: path, code: EIO) }
  }

  package func resize(to byteCount: Int) throws(StorageError) {
    _ = try begin("Resizing")
    state.withLock { $0.trace.append(.resize(byteCount: byteCount)) }
    try file.resize(to: byteCount)
  }

  package func allocate(_ range: Range<Int>) throws(StorageError) {
    _ = try begin("Growing")
    guard range.upperBound <= state.withLock({ $0.capacity }) else {
      throw .system(operation: "Growing", path: path, code: ENOSPC)
    }
    state.withLock { $0.trace.append(.resize(byteCount: range.upperBound)) }
    try file.resize(to: range.upperBound)
  }

  package func map(
    _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
  ) throws(StorageError) {
    _ = try begin("Mapping")
    try file.map(range, at: address, isWritable: isWritable)
  }
}

extension StorageFile {
  /// Writes the bytes of an array.
  fileprivate func write(_ bytes: [UInt8], at offset: Int) throws(StorageError) {
    let result = bytes.withUnsafeBytes { buffer -> StorageError? in
      do throws(StorageError) {
        try write(buffer, at: offset)
        return nil
      } catch {
        return error
      }
    }
    if let result { throw result }
  }
}
