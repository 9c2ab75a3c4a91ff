// SPDX-License-Identifier: Apache-2.0

// What Apple's C library declares, as the importer of C shows it: that of Linux, and the
// differences.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

@_exported public import Glibc

@discardableResult
public func pthread_key_create(
  _ key: UnsafeMutablePointer<pthread_key_t>!,
  _ destructor: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> Int32 { fatalError() }

@discardableResult
public func pthread_create(
  _ thread: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>?,
  _ main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 { fatalError() }

@discardableResult
public func memset_s(
  _ bytes: UnsafeMutableRawPointer!, _ capacity: Int, _ value: Int32, _ count: Int
) -> Int32 { fatalError() }

extension stat {
  public var st_mtimespec: timespec { fatalError() }
}

public var MAP_ANON: Int32 { fatalError() }
public var OPEN_MAX: Int32 { fatalError() }

@discardableResult
public func sysctlbyname(
  _ name: UnsafePointer<CChar>!, _ old: UnsafeMutableRawPointer!,
  _ oldLength: UnsafeMutablePointer<Int>!, _ new: UnsafeMutableRawPointer!, _ newLength: Int
) -> Int32 { fatalError() }

public var RLIMIT_NOFILE: Int32 { fatalError() }
