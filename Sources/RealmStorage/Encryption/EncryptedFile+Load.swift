// SPDX-License-Identifier: Apache-2.0

// Bringing pages of the file into the image.
//
// Another process may be writing meanwhile. Its entries come before its pages, so a page is found
// as its current or its previous stamp says, but for the time in which it is being written; then it
// counts as failed, stays in the image as it was, and is read again.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension EncryptedFile {
  /// The number of times that a version is read again whose pages a writer may be writing, and the
  /// pause before each.
  private static let attemptCount = 200
  private static let pauseMicroseconds: UInt32 = 1000

  /// Brings in all pages that changed in the file since they were read.
  func load() throws(StorageError) {
    try state.withLock { state throws(StorageError) in try load(&state) }
  }

  /// Brings the image to a version that is committed, if it is not there yet.
  ///
  /// - Parameter check: Gets the pages that could not be verified, ascending, and where the image
  ///   is; throws if the version uses one of them. Must not touch this file.
  func advance(
    to version: UInt64, _ check: ([Int], UnsafeRawPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    try state.withLock { state throws(StorageError) in
      guard state.version < version else { return }
      for attempt in 0... {
        try load(&state)
        do throws(StorageError) {
          let unverified = Self.unverified(state)
          if !unverified.isEmpty, let base = unsafe state.base {
            try unsafe check(unverified, UnsafeRawPointer(base))
          }
          break
        } catch {
          // No process is writing what was never written.
          guard !state.failed.isEmpty, attempt < Self.attemptCount else { throw error }
          usleep(Self.pauseMicroseconds)
        }
      }
      state.version = version
    }
  }

  func has(_ version: UInt64) -> Bool { state.withLock { $0.version >= version } }

  /// Notes that the image has a version because this process wrote it.
  func noteOwn(_ version: UInt64) {
    state.withLock { $0.version = max($0.version, version) }
  }

  /// The pages of the image that are not authentic, or that were never written; ascending.
  static func unverified(_ state: State) -> [Int] {
    (0..<state.pageCount).filter { state.marks[$0] == .zero || state.failed.contains($0) }
  }

  private func load(_ state: inout State) throws(StorageError) {
    guard let base = unsafe state.base else { return }
    let count = min(state.pageCount, try byteCount() / EncryptedLayout.pageByteCount)
    let loader = unsafe PageLoader(file: file, cipher: cipher, base: base)
    var known: PageLoader.Knowledge
    if state.isLoaded {
      known = PageLoader.Knowledge(first: 0, marks: Array(state.marks[..<count]))
      // Pages that came before an error are in the image: their marks must say so.
      defer { state.marks.replaceSubrange(..<count, with: known.marks) }
      try loader.load(&known, using: state.block)
    } else {
      known = try loader.loadAll(count)
      state.marks.replaceSubrange(..<count, with: known.marks)
      state.isLoaded = true
    }
    state.failed.removeAll()
    for page in known.failed { state.failed.insert(page) }
  }
}
