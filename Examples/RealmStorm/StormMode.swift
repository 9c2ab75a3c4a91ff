// SPDX-License-Identifier: Apache-2.0

// What devices share.

#if Server
import ArgumentParser

/// The mode of sync.
enum StormMode: String, CaseIterable, ExpressibleByArgument {
  /// Two partitions: all users write to the first, the rules decide who writes to the second.
  case partition
  /// One realm, whose objects the rules hide and protect one by one.
  case flexible
}
#endif
