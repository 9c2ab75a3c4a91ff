// SPDX-License-Identifier: Apache-2.0

// The keys of tokens in the folder: `keys/tokens` is the present one, `keys/tokens-until-<seconds>`
// one that was replaced and is accepted until then.
//
// Invariants:
// 1. A present key that is replaced has its other name before the new one is there: whenever a
//    change is interrupted, no token becomes invalid before its time.
// 2. Where all logins are ended, earlier keys go first: what is interrupted can be done again.

#if Server
import Foundation
import RealmServerEngine
package import RealmServerServices
import RealmStorage

extension ServerDirectory {
  private static let keyByteCount = 32
  private static let earlierPrefix = "tokens-until-"

  private var keyPath: String { path + "/keys/tokens" }

  /// The key of tokens, made if there is none and the folder is new.
  package func signingKey(
    random: RandomBytes, mayMake: Bool = true
  ) throws(ServerFailure) -> [UInt8] {
    let file = keyPath
    PrivatePlace.restrict(file)
    if let data = FileManager.default.contents(atPath: file), !(data.isEmpty && mayMake) {
      guard data.count == Self.keyByteCount else {
        throw ServerFailure(
          data.isEmpty
            ? Self.missing(file, "is empty", "all users have to log in again")
            : "\(file) is damaged. Put it back from a backup, or remove it and start once with "
              + "--replace-missing; then all users have to log in again.")
      }
      return Array(data)
    }
    guard !exists(file) || FileManager.default.isReadableFile(atPath: file) else {
      throw ServerFailure("\(file) cannot be read. Change its permissions.")
    }
    guard mayMake else {
      throw ServerFailure(Self.missing(file, "is missing", "all users have to log in again"))
    }
    try? FileManager.default.removeItem(atPath: file)
    let key = random.bytes(Self.keyByteCount)
    try write(key, to: file)
    return key
  }

  /// The earlier keys, with their ends in seconds since 1970. Those whose end has come are removed.
  func earlierKeys(now: Int64) throws(ServerFailure) -> [(key: [UInt8], end: Int64)] {
    var keys: [(key: [UInt8], end: Int64)] = []
    for (file, end) in earlierKeyFiles() {
      if end <= now {
        try? FileManager.default.removeItem(atPath: file)
        continue
      }
      PrivatePlace.restrict(file)
      guard let data = FileManager.default.contents(atPath: file), data.count == Self.keyByteCount
      else {
        throw ServerFailure(
          "\(file) is damaged. Put it back from a backup, or remove it; then users who logged in "
            + "before the key was replaced have to log in again.")
      }
      keys.append((Array(data), end))
    }
    return keys
  }

  /// The files of earlier keys, with their ends.
  package func earlierKeyFiles() -> [(path: String, end: Int64)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path + "/keys")) ?? []
    return names.sorted().compactMap { name in
      guard name.hasPrefix(Self.earlierPrefix) else { return nil }
      return Int64(name.dropFirst(Self.earlierPrefix.count)).map { ("\(path)/keys/\(name)", $0) }
    }
  }

  /// Makes another key of tokens.
  ///
  /// - Parameter end: When the tokens of the present key are over, in seconds since 1970; nil to
  ///   end all logins.
  func replaceSigningKey(
    random: RandomBytes, keepingPresentUntil end: Int64?
  ) throws(ServerFailure) {
    let present = try signingKey(random: random, mayMake: false)
    if let end {
      try write(present, to: "\(path)/keys/\(Self.earlierPrefix)\(end)")
    } else {
      for (file, _) in earlierKeyFiles() {
        do { try FileManager.default.removeItem(atPath: file) } catch {
          throw ServerFailure("\(file) cannot be removed. Change the folder's permissions.")
        }
      }
    }
    try write(random.bytes(Self.keyByteCount), to: keyPath)
  }
}
#endif
