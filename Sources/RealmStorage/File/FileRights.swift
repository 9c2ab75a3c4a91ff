// SPDX-License-Identifier: Apache-2.0

// The owner and the rights of a file, for copies of it and for the files beside it.

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The owner, the group and the rights of a file.
package struct FileRights: Hashable, Sendable {
  private let mode: UInt32
  private let owner: uid_t
  private let group: gid_t

  /// The rights of the file at a path; nil if there is none.
  package init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    mode = UInt32(status.st_mode) & 0o7777
    owner = status.st_uid
    group = status.st_gid
  }

  /// Gives a file at a path these rights, as far as the system lets the process.
  package func apply(to path: String) {
    let descriptor = unsafe realm_open(path, O_RDONLY, 0)
    guard descriptor >= 0 else { return }
    apply(toNew: descriptor)
    close(descriptor)
  }

  /// Gives a new file of the process these rights. Where the owner or the group cannot be kept, the
  /// new ones get no further rights.
  func apply(toNew descriptor: CInt) {
    var mode = self.mode & 0o777 | Self.ofOwner
    if fchown(descriptor, owner, group) != 0, fchown(descriptor, uid_t.max, group) != 0 {
      var status = stat()
      if unsafe fstat(descriptor, &status) == 0, status.st_gid != group {
        // Everybody in the other group is one of the others.
        mode = mode & ~0o070 | (mode & 0o007) << 3 & mode
      }
    }
    fchmod(descriptor, mode_t(mode))
  }

  /// Limits the rights of others to an open file to these.
  func narrow(_ descriptor: CInt) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return }
    let rights = UInt32(status.st_mode) & 0o777
    let narrowed = rights & (mode | 0o700)
    if rights != narrowed { fchmod(descriptor, mode_t(narrowed)) }
  }

  /// The owner may read and write in every case: a file may be writable again later.
  private static let ofOwner: UInt32 = 0o600
}
