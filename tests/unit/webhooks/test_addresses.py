"""Whoever registers a webhook does not reach with it what only this machine can."""

from ipaddress import ip_address

import pytest

from recollect.errors import NotAllowed, Unavailable
from recollect.settings import Settings, networks_in
from recollect.webhooks.addresses import address_of, may_be_called, refuse_number


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1"),  # noqa: S104
        *("169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1"),
        *("255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd12::1", "fec0::1", "ff02::1"),
        pytest.param("::ffff:127.0.0.1", id="version 4 in version 6"),
        pytest.param("::ffff:10.0.0.1", id="a private one in version 6"),
        pytest.param("64:ff9b::a9fe:a9fe", id="the metadata service behind NAT64"),
        pytest.param("2002:7f00:1::", id="loopback by 6to4"),
        "2001:db8::1",
    ],
)
def test_what_only_this_machine_can_reach_is_not_called(address: str) -> None:
    assert not may_be_called(ip_address(address), [])


@pytest.mark.parametrize("address", ["1.1.1.1", "2606:4700::1111", "64:ff9b::101:101"])
def test_public_addresses_are_called(address: str) -> None:
    assert may_be_called(ip_address(address), [])


def test_a_setting_lets_networks_be_called_and_no_others() -> None:
    private = networks_in("127.0.0.1/32, fd00::/8")
    assert may_be_called(ip_address("127.0.0.1"), private)
    assert may_be_called(ip_address("::ffff:127.0.0.1"), private)
    assert may_be_called(ip_address("fd12::1"), private)
    assert not may_be_called(ip_address("127.0.0.2"), private)
    with pytest.raises(ValueError, match="webhook_private"):
        Settings(webhook_private="localhost")


async def test_a_name_is_as_its_address_is() -> None:
    with pytest.raises(NotAllowed, match="RECOLLECT_WEBHOOK_PRIVATE"):
        await address_of("localhost", 80, [])
    with pytest.raises(Unavailable):
        await address_of("nobody.invalid", 80, [])
    assert await address_of("127.0.0.1", 80, networks_in("127.0.0.0/8")) == "127.0.0.1"


def test_a_number_is_refused_at_once() -> None:
    refuse_number("hooks.example", "")
    with pytest.raises(NotAllowed):
        refuse_number("169.254.169.254", "")
    refuse_number("127.0.0.1", "127.0.0.1/32")
