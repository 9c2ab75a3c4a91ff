// SPDX-License-Identifier: Apache-2.0

// CommonCrypto: what our sources call of it.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public typealias CCOperation = UInt32
public typealias CCAlgorithm = UInt32
public typealias CCOptions = UInt32
public typealias CCHmacAlgorithm = UInt32
public typealias CCCryptorStatus = Int32

public var kCCEncrypt: Int { fatalError() }
public var kCCDecrypt: Int { fatalError() }
public var kCCAlgorithmAES: Int { fatalError() }
public var kCCSuccess: Int { fatalError() }
public var kCCHmacAlgSHA224: Int { fatalError() }

public func CCHmac(
  _ algorithm: CCHmacAlgorithm, _ key: UnsafeRawPointer!, _ keyLength: Int,
  _ data: UnsafeRawPointer!, _ dataLength: Int, _ code: UnsafeMutableRawPointer!
) { fatalError() }

public func CCCrypt(
  _ operation: CCOperation, _ algorithm: CCAlgorithm, _ options: CCOptions,
  _ key: UnsafeRawPointer!, _ keyLength: Int, _ vector: UnsafeRawPointer!,
  _ input: UnsafeRawPointer!, _ inputLength: Int, _ output: UnsafeMutableRawPointer!,
  _ outputAvailable: Int, _ outputMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus { fatalError() }
