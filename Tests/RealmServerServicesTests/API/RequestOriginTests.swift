// SPDX-License-Identifier: Apache-2.0

// Who sends a request, as its connection and its headers tell.

#if Server
import RealmServerServices
import TestExtensions
import Testing

struct RequestOriginTests {
  @Test(arguments: [
    ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("192.0.2.7:443", "192.0.2.7"),
    ("::FFFF:c000:0207", "192.0.2.7"), ("[::ffff:192.0.2.7]:80", "192.0.2.7"),
    ("2001:db8::1", "20:1:d:b8:0:0:0:0/64"),
    ("2001:db8:0:0:ffff:ffff:ffff:ffff", "20:1:d:b8:0:0:0:0/64"),
    ("[2001:db8:0:1::]:8080", "20:1:d:b8:0:0:0:1/64"), ("fe80::1%eth0", "fe:80:0:0:0:0:0:0/64"),
    ("1:2:3:4:5:6:7.8.9.10", "0:1:0:2:0:3:0:4/64"),
  ])
  func limitsCountByNetworks(_ text: String, _ key: String) throws {
    try expectEqual(#require(ClientAddress(text)).limitKey, key)
  }

  @Test(arguments: [
    "", "unknown", "1.2.3", "1.2.3.256", "1.2.3.4.5", "1.2.3.-4", "1.2.3.4:x", ":::", "1::2::3",
    "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "[::1", "::1.2.3", "1:2:3:4:5:6:7:8::",
    "+1::", "1..2.3",
  ])
  func otherTextsAreNoAddresses(_ text: String) { expectEqual(ClientAddress(text), nil) }

  @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
  func thisMachineHasSeveralAddresses(_ text: String) throws {
    #expect(try #require(ClientAddress(text)).isLocal)
  }

  @Test func rangesHaveTheAddressesWithTheSameBits() throws {
    func contains(_ range: String, _ address: String) throws -> Bool {
      try #require(AddressRange(range)).contains(try #require(ClientAddress(address)))
    }
    #expect(try contains("10.0.0.0/8", "10.255.0.1"))
    #expect(try !contains("10.0.0.0/8", "11.0.0.1"))
    #expect(try contains("10.1.2.128/25", "10.1.2.129"))
    #expect(try !contains("10.1.2.128/25", "10.1.2.127"))
    #expect(try contains("192.0.2.7", "::ffff:192.0.2.7"))
    #expect(try contains("::ffff:10.0.0.0/104", "10.1.1.1"))
    #expect(try contains("2001:db8::/33", "2001:db8:7fff::1"))
    #expect(try !contains("2001:db8::/33", "2001:db8:8000::1"))
    #expect(try contains("0.0.0.0/0", "8.8.8.8"))
    #expect(try !contains("0.0.0.0/0", "2001:db8::1"))
    for text in ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "x/8", "::ffff:10.0.0.0/8", "::/129"] {
      expectEqual(AddressRange(text), nil, "\(text)")
    }
  }

  /// `RequestOrigin` 1
  @Test func theLastAddressThatIsNoProxysCounts() throws {
    let proxies = TrustedProxies(try ["10.0.0.0/8", "::1"].map { try #require(AddressRange($0)) })
    func address(_ peer: String, _ lists: String...) -> String {
      proxies.origin(
        peer: peer, headers: lists.map { (name: "X-Forwarded-For", value: $0) }, isEncrypted: false
      ).limitKey
    }
    expectEqual(address("192.0.2.1"), "192.0.2.1")
    // Who is no proxy is not believed.
    expectEqual(address("192.0.2.1", "192.0.2.9"), "192.0.2.1")
    expectEqual(address("::ffff:10.0.0.1", "192.0.2.9"), "192.0.2.9")
    expectEqual(address("10.0.0.1", "192.0.2.66, 192.0.2.9, 10.0.0.2"), "192.0.2.9")
    expectEqual(address("10.0.0.1", "192.0.2.66", "192.0.2.9,10.0.0.2"), "192.0.2.9")
    expectEqual(address("10.0.0.1", "127.0.0.1, 192.0.2.9"), "192.0.2.9")
    expectEqual(address("10.0.0.1", "192.0.2.66, junk, 10.0.0.2"), "10.0.0.2")
    expectEqual(address("10.0.0.1"), "10.0.0.1")
    expectEqual(address("10.0.0.1", ""), "10.0.0.1")
  }

  @Test func aProxyTellsWhetherTheClientsConnectionIsEncrypted() {
    func origin(_ peer: String, _ scheme: String?) -> RequestOrigin {
      TrustedProxies.local.origin(
        peer: peer, headers: scheme.map { [(name: "x-forwarded-proto", value: $0)] } ?? [],
        isEncrypted: false)
    }
    expectTrue(origin("127.0.0.1", "https").isSecure)
    expectFalse(origin("127.0.0.1", "https, http").isSecure)
    expectFalse(origin("127.0.0.1", nil).isSecure)
    expectFalse(origin("192.0.2.1", "https").isSecure)
  }

  @Test func whatAProxyPassesOnIsNotLocal() {
    func isLocal(_ name: String) -> Bool {
      TrustedProxies.local.origin(
        peer: "127.0.0.1", headers: [(name: name, value: "127.0.0.1")], isEncrypted: false
      ).isLocal
    }
    expectTrue(isLocal("Accept"))
    for name in ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"] { #expect(!isLocal(name)) }
  }
}
#endif
