// SPDX-License-Identifier: Apache-2.0

// How many files and sockets the system lets the server have open.

#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The limit of the open files of this process.
///
/// Systems begin programs with a low one, as some programs cannot have more, and let them raise it
/// to another that the operator sets.
struct OpenFileLimit: Hashable, CustomStringConvertible {
  /// The number with which the process began.
  let start: UInt64
  /// The number now.
  let current: UInt64

  /// Raises the limit as far as the system lets it. Returns nil if the system does not say what it
  /// is.
  static func raise() -> OpenFileLimit? {
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return nil }
    let start = UInt64(limit.rlim_cur)
    let highest = highest(limit.rlim_max)
    guard highest > limit.rlim_cur else { return OpenFileLimit(start: start, current: start) }
    limit.rlim_cur = highest
    let isRaised = unsafe setrlimit(resource, &limit) == 0
    return OpenFileLimit(start: start, current: isRaised ? UInt64(highest) : start)
  }

  var description: String {
    current == start ? "\(current)" : "\(current), raised from \(start)"
  }

  #if canImport(Darwin)
  private static let resource = RLIMIT_NOFILE

  /// The limit of users may be "infinite" there, and what the kernel takes is another number.
  private static func highest(_ hard: rlim_t) -> rlim_t {
    var count: CInt = 0
    var size = MemoryLayout<CInt>.size
    let isKnown = unsafe sysctlbyname("kern.maxfilesperproc", &count, &size, nil, 0) == 0
    return min(hard, rlim_t(isKnown && count > 0 ? count : OPEN_MAX))
  }
  #else
  #if canImport(Musl)
  private static let resource = RLIMIT_NOFILE
  #else
  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #endif

  private static func highest(_ hard: rlim_t) -> rlim_t { hard }
  #endif
}
#endif
