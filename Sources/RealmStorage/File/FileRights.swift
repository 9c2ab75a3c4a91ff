// SPDX-License-Identifier: Apache-2.0

// Who may use a file, for the files that take its place or stand beside it.

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

  /// Gives a file that the process has just made these rights. Where the owner or the group cannot
  /// be kept, the new ones get no rights that the old ones did not have.
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

  /// Takes rights of others from an open file that this one does not give.
  func narrow(_ descriptor: CInt) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return }
    let rights = UInt32(status.st_mode) & 0o777
    let narrowed = rights & (mode | 0o700)
    if rights != narrowed { fchmod(descriptor, mode_t(narrowed)) }
  }

  /// What the owner may do in every case: a file that is written once more has side files already.
  private static let ofOwner: UInt32 = 0o600
}
